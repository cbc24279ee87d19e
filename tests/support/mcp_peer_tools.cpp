// What the tools of the misbehaving peer do.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include <unistd.h>

#include "mcp_peer.hpp"

namespace peer {
namespace {

Json late_id;   ///< the call of "late" that waits for its cancellation
Json asking_id; ///< the call of "ask" that waits for the client's answer

void notify(std::string_view method, Json params) {
    print_message({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

std::string line_of(const Json& id, const Json& result) {
    return foxwedge::to_text(Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", result}}) + "\n";
}

std::string argument(const Json& params, const char* name) {
    const Json* arguments = foxwedge::member(params, "arguments");
    const auto value = arguments ? foxwedge::string_member(*arguments, name) : std::nullopt;
    return std::string(value.value_or(""));
}

std::size_t size_argument(const Json& params) {
    const Json* arguments = foxwedge::member(params, "arguments");
    return static_cast<std::size_t>(
        arguments ? foxwedge::integer_member(*arguments, "bytes").value_or(0) : 0);
}

void print_in_pieces(std::string_view bytes, std::size_t piece) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
        print(bytes.substr(0, piece));
}

Json progress_token(const Json& params) {
    const Json* meta = foxwedge::member(params, "_meta");
    const Json* token = meta ? foxwedge::member(*meta, "progressToken") : nullptr;
    return token ? *token : Json();
}

using Tool = std::function<void(const Options&, const Json& id, const Json& params)>;

const std::map<std::string, Tool>& tools() {
    static const std::map<std::string, Tool> all{
        {"echo", [](auto&, auto& id, auto& p) { answer(id, text(argument(p, "text"))); }},
        {"params", [](auto&, auto& id, auto& p) { answer(id, text(foxwedge::to_text(p))); }},
        {"pid", [](auto&, auto& id, auto&) { answer(id, text(std::to_string(::getpid()))); }},
        {"big",
         [](auto&, auto& id, auto& p) {
             print_in_pieces(line_of(id, text(std::string(size_argument(p), 'a'))), 7 * 1024);
         }},
        {"big_id_last",
         [](auto&, auto& id, auto& p) {
             print(R"({"result":)" + foxwedge::to_text(text(std::string(size_argument(p), 'a'))) +
                   R"(,"jsonrpc":"2.0","id":)" + foxwedge::to_text(id) + "}\n");
         }},
        {"bytewise", [](auto&, auto& id, auto&) { print_in_pieces(line_of(id, text("all")), 1); }},
        {"deep",
         [](auto&, auto& id, auto&) {
             print(R"({"jsonrpc":"2.0","id":)" + foxwedge::to_text(id) + R"(,"result":)" +
                   std::string(100'000, '[') + std::string(100'000, ']') + "}\n");
         }},
        {"stderr_flood",
         [](auto&, auto& id, auto&) {
             const std::string bar(64 * 1024, '\r');
             for (int i = 0; i < 16; ++i) (void)!::write(2, bar.data(), bar.size());
             answer(id, text("flooded"));
         }},
        {"noise",
         [](auto&, auto& id, auto&) {
             print("[cache] warm\nnull\n42\n\xFF\xFE\n");
             answer(id, text("after noise"));
         }},
        {"text_id",
         [](auto&, auto& id, auto&) {
             const auto number = foxwedge::to_text(id);
             for (const char* wrong : {"0", " "}) answer(Json(wrong + number), text("wrong"));
             answer(Json(number + ".0"), text("wrong"));
             answer(Json(number), text("ok"));
         }},
        {"null_id_error", [](auto&, auto&, auto&) { refuse(nullptr, -32603, "boom"); }},
        {"twice",
         [](auto&, auto& id, auto&) {
             answer(id, text("once"));
             answer(id, text("again"));
             notify("notifications/progress", {{"progressToken", "zz"}, {"progress", 1}});
         }},
        {"bad_utf8",
         [](auto&, auto& id, auto&) {
             print(R"({"jsonrpc":"2.0","id":)" + foxwedge::to_text(id) +
                   R"(,"result":{"content":[{"type":"text","text":")" + "\xC3\x28" + "\"}]}}\r\n");
         }},
        {"silent", [](auto&, auto&, auto&) {}},
        {"late", [](auto&, auto& id, auto&) { late_id = id; }},
        {"die",
         [](auto&, auto&, auto&) {
             std::fputs("out of luck\n", stderr);
             std::exit(5);
         }},
        {"close_stdout",
         [](auto&, auto&, auto&) {
             ::close(1);
             std::string line;
             while (read_line(line)) {
             }
         }},
        {"progress",
         [](auto&, auto& id, auto& p) {
             for (int i = 1; i <= 3; ++i)
                 notify("notifications/progress",
                        {{"progressToken", progress_token(p)}, {"progress", i}, {"total", 3}});
             answer(id, text("done"));
         }},
        {"ping_first",
         [](auto&, auto& id, auto&) {
             print_message({{"jsonrpc", "2.0"}, {"id", "7"}, {"method", "ping"}});
             notify("notifications/message", {{"level", "info"}, {"data", "hello"}});
             notify("notifications/progress", {{"progressToken", "zz"}, {"progress", 1}});
             asking_id = id;
         }},
        {"ask",
         [](auto&, auto& id, auto&) {
             print_message({{"jsonrpc", "2.0"},
                            {"id", 1001},
                            {"method", "elicitation/create"},
                            {"params", {{"message", "your name?"}}}});
             asking_id = id;
         }},
        {"roots",
         [](auto&, auto& id, auto&) {
             print_message({{"jsonrpc", "2.0"}, {"id", 1002}, {"method", "roots/list"}});
             asking_id = id;
         }},
        {"fail",
         [](auto&, auto& id, auto&) {
             Json result = text("no such order");
             result.get_object()["isError"] = true;
             answer(id, std::move(result));
         }},
        {"refuse",
         [](auto&, auto& id, auto&) {
             refuse(id, -32000, "broken", {{"why", "x"}});
         }},
        {"structured",
         [](auto&, auto& id, auto&) {
             answer(id, {{"structuredContent", {{"total", 36}}}});
         }},
        {"nothing", [](auto&, auto& id, auto&) { answer(id, JsonObject()); }},
        {"null", [](auto&, auto& id, auto&) { answer(id, nullptr); }},
        {"change",
         [](auto&, auto& id, auto&) {
             notify("notifications/tools/list_changed", JsonObject());
             answer(id, text("changed"));
         }},
        {"input",
         [](auto&, auto& id, auto& p) {
             if (foxwedge::member(p, "inputResponses"))
                 return answer(id, text(foxwedge::to_text(p)));
             answer(id, {{"resultType", "input_required"},
                         {"inputRequests",
                          {{"name", {{"method", "elicitation/create"}, {"params", JsonObject()}}}}},
                         {"requestState", "state-1"}});
         }},
        {"effect",
         [](auto& options, auto& id, auto& p) {
             std::ofstream(options.get("ledger"), std::ios::app) << foxwedge::to_text(p) << "\n";
             answer(id, text("effected"));
         }},
    };
    return all;
}

Json plain_tool(std::string name) {
    return {{"name", std::move(name)}, {"description", "d"}, {"inputSchema", {{"type", "object"}}}};
}

JsonArray odd_schemas() {
    const auto with = [](std::string name, Json schema) {
        return Json{{"name", std::move(name)}, {"inputSchema", std::move(schema)}};
    };
    return {with("good", {{"type", "object"}}),
            with("t1", {{"anyOf", JsonArray{JsonObject{{"type", "object"}}}}}),
            with("t2", {{"type", "string"}}),
            Json{{"name", "t3"}},
            with("t4", JsonObject()),
            with("remote", {{"type", "object"}, {"$ref", "http://198.51.100.1/schema.json"}})};
}

} // namespace

void call_tool(const Options& options, const Json& id, const Json& params) {
    const auto found =
        tools().find(std::string(foxwedge::string_member(params, "name").value_or("")));
    if (found == tools().end()) return refuse(id, -32602, "Unknown tool");
    found->second(options, id, params);
}

Json list_tools(const Options& options, const Json& params) {
    const auto how = options.get("list", "plain");
    const auto cursor = foxwedge::string_member(params, "cursor");
    JsonArray list;
    if (how == "loop" || how == "empty-cursor") {
        list = {plain_tool("a"), plain_tool("b")};
        return {{"tools", std::move(list)}, {"nextCursor", how == "loop" ? "p1" : ""}};
    }
    if (how == "pages") {
        const int page = cursor ? std::atoi(std::string(*cursor).c_str()) : 0;
        list.push_back(plain_tool("tool" + std::to_string(page)));
        Json result{{"tools", std::move(list)}};
        if (page < 2) result.get_object()["nextCursor"] = std::to_string(page + 1);
        return result;
    }
    if (how == "schemas") return {{"tools", odd_schemas()}};
    if (how == "names") {
        for (auto name : {std::string("mail.send"), std::string("files/read"),
                          std::string("day plan"), std::string(140, 'n')})
            list.push_back(plain_tool(name));
        return {{"tools", std::move(list)}};
    }
    for (const auto& [name, run] : tools()) list.push_back(plain_tool(name));
    return {{"tools", std::move(list)}};
}

void on_cancelled(const Json& params) {
    const Json* id = foxwedge::member(params, "requestId");
    if (!id || late_id.is_null() || *id != late_id) return;
    answer(late_id, text("too late"));
    late_id = nullptr;
}

void on_answer(const Json& message) {
    if (asking_id.is_null()) return;
    answer(asking_id, text(foxwedge::to_text(message)));
    asking_id = nullptr;
}

} // namespace peer
