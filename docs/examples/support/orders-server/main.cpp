// The orders desk of the support example: a small MCP server over stdio, in one page.
//
//   orders-server [--ledger FILE] [--idempotent]
//
// It knows three orders. lookup_order reads one; refund_order pays money back, which is a line in
// the ledger (also $ORDERS_LEDGER; none: nowhere), so that anybody can count what has really
// happened. With --idempotent a refund that comes again under the same key (foxwedge/idempotencyKey
// in `_meta`) is answered as before and not paid twice, and the tool says so in its annotations.
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "ledger.hpp"

using namespace foxwedge;

namespace {

struct Order {
    const char* id;
    const char* item;
    double total;
    const char* status;
};
constexpr Order orders[] = {{"A-1001", "walnut desk", 1500.50, "delivered, damaged in transit"},
                            {"A-1002", "reading lamp", 49.90, "delivered"},
                            {"A-1003", "bookshelf", 320.00, "on its way"}};

const Order* find_order(std::string_view id) {
    for (const Order& order : orders)
        if (id == order.id) return &order;
    return nullptr;
}

Json result(std::string text, Json structured, bool is_error = false) {
    JsonObject object{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", text}}}},
                      {"isError", is_error}};
    if (!structured.is_null()) object["structuredContent"] = std::move(structured);
    return object;
}

Json lookup(const Order& order) {
    Json found{{"orderId", order.id},
               {"item", order.item},
               {"total", order.total},
               {"status", order.status}};
    return result(to_text(found), found);
}

Json refund(const Order& order, double amount, const std::string& key, Ledger& ledger) {
    if (!(amount > 0) || amount > order.total)
        return result("a refund is more than 0 and at most the order's total", nullptr, true);
    if (auto before = ledger.find(key))
        return result("refunded before: " + to_text(*before), *before);
    Json entry{{"orderId", order.id}, {"amount", amount}, {"key", key}};
    if (!ledger.append(entry)) return result("the ledger cannot be written", nullptr, true);
    return result("refunded " + to_text(Json(amount)) + " for order " + order.id, entry);
}

Json schema(bool with_amount) {
    JsonObject properties{
        {"orderId", JsonObject{{"type", "string"}, {"description", "such as A-1001"}}}};
    JsonArray required{"orderId"};
    if (with_amount) {
        properties["amount"] = JsonObject{{"type", "number"}, {"exclusiveMinimum", 0}};
        required.push_back("amount");
    }
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}};
}

Json tools(bool idempotent) {
    return {{"tools",
             JsonArray{JsonObject{{"name", "lookup_order"},
                                  {"description", "Reads an order: item, total, status."},
                                  {"inputSchema", schema(false)},
                                  {"annotations", JsonObject{{"readOnlyHint", true}}}},
                       JsonObject{{"name", "refund_order"},
                                  {"description", "Pays money back for an order."},
                                  {"inputSchema", schema(true)},
                                  {"annotations", JsonObject{{"readOnlyHint", false},
                                                             {"destructiveHint", true},
                                                             {"idempotentHint", idempotent}}}}}}};
}

void send(const Json& id, std::string_view member_name, Json value) {
    JsonObject message{{"jsonrpc", "2.0"}, {"id", id}};
    message[boost::json::string_view(member_name.data(), member_name.size())] = std::move(value);
    std::cout << to_text(Json(std::move(message))) << std::endl;
}

void call(const Json& id, const Json& params, Ledger& ledger) {
    const Json none = JsonObject();
    const Json* arguments = member(params, "arguments");
    if (!arguments) arguments = &none;
    const auto name = string_member(params, "name").value_or("");
    if (name != "lookup_order" && name != "refund_order")
        return send(id, "error",
                    {{"code", -32602}, {"message", "Unknown tool: " + std::string(name)}});
    const Order* order = find_order(string_member(*arguments, "orderId").value_or(""));
    if (!order) return send(id, "result", result("there is no such order", nullptr, true));
    if (name == "lookup_order") return send(id, "result", lookup(*order));
    const Json* meta = member(params, "_meta");
    const std::string key(meta ? string_member(*meta, "foxwedge/idempotencyKey").value_or("") : "");
    send(id, "result",
         refund(*order, number_member(*arguments, "amount").value_or(0), key, ledger));
}

void answer(const Json& message, Ledger& ledger, bool idempotent) {
    const Json* id = member(message, "id");
    const auto method = string_member(message, "method").value_or("");
    if (!id || method.empty()) return; // notifications ask for nothing
    const Json none = JsonObject();
    const Json* params = member(message, "params");
    if (!params) params = &none;
    if (method == "initialize")
        send(*id, "result",
             {{"protocolVersion", string_member(*params, "protocolVersion").value_or("2025-06-18")},
              {"capabilities", {{"tools", JsonObject()}}},
              {"serverInfo", {{"name", "orders"}, {"version", "1.0.0"}}}});
    else if (method == "tools/list")
        send(*id, "result", tools(idempotent));
    else if (method == "tools/call")
        call(*id, *params, ledger);
    else if (method == "ping")
        send(*id, "result", JsonObject());
    else
        send(*id, "error", {{"code", -32601}, {"message", "Method not found"}});
}

} // namespace

int main(int argc, char** argv) {
    const char* path = std::getenv("ORDERS_LEDGER");
    bool idempotent = false;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--idempotent")
            idempotent = true;
        else if (word == "--ledger" && i + 1 < argc)
            path = argv[++i];
        else {
            std::cerr << "usage: orders-server [--ledger FILE] [--idempotent]\n";
            return 2;
        }
    }
    Ledger ledger(path ? path : "", idempotent);
    for (std::string line; std::getline(std::cin, line);) {
        const auto message = parse_json(line);
        if (message)
            answer(*message, ledger, idempotent);
        else // said, so that nobody waits for an answer that does not come
            send(nullptr, "error",
                 JsonObject{{"code", -32700}, {"message", message.error().message}});
    }
    return 0;
}
