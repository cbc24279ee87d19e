#include "mcp/message.hpp"

#include <charconv>

namespace foxwedge::mcp {
namespace {

RpcError error_of(Json& json) {
    RpcError error;
    error.code = integer_member(json, "code").value_or(rpc::internal_error);
    error.message = std::string(string_member(json, "message").value_or("(no message)"));
    if (const Json* data = member(json, "data")) error.data = *data;
    return error;
}

bool is_request_id(const Json& id) {
    return id.is_string() || id.is_int64() || id.is_uint64();
}

Json params_of(JsonObject& object) {
    const auto found = object.find("params");
    return found == object.end() ? Json() : std::move(found->value());
}

void append_params(std::string& line, std::string_view params_json) {
    if (params_json.empty()) return;
    line += ",\"params\":";
    const std::size_t from = line.size();
    line += params_json;
    // Outside strings a line end is blank space; inside strings JSON has none.
    for (const char end : {'\n', '\r'})
        for (std::size_t at = line.find(end, from); at != line.npos; at = line.find(end, at + 1))
            line[at] = ' ';
}

} // namespace

Message classify(Json message) {
    if (!message.is_object()) return Malformed{"it is no JSON object", {}};
    JsonObject& object = message.get_object();
    const auto id_at = object.find("id");
    Json id = id_at == object.end() ? Json() : id_at->value();
    if (const auto method = object.find("method"); method != object.end()) {
        if (!method->value().is_string())
            return Malformed{"its method is no string", std::move(id)};
        std::string name(view(method->value().get_string()));
        if (id_at == object.end()) return Notification{std::move(name), params_of(object)};
        if (!is_request_id(id)) return Malformed{"its id is neither string nor integer", {}};
        return Request{std::move(id), std::move(name), params_of(object)};
    }
    if (!id.is_null() && !is_request_id(id))
        return Malformed{"its id is neither string nor integer", {}};
    if (const auto error = object.find("error"); error != object.end())
        return Response{std::move(id), error_of(error->value()), {}};
    const auto result = object.find("result");
    if (result == object.end())
        return Malformed{"it has neither method nor result nor error", std::move(id)};
    if (id.is_null()) return Malformed{"a result without an id", {}};
    return Response{std::move(id), std::nullopt, std::move(result->value())};
}

std::optional<std::int64_t> own_id_literal(std::string_view text) {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
        text = text.substr(1, text.size() - 2);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
    if (text.size() > 1 && text.front() == '0') return std::nullopt;
    return number;
}

std::optional<std::int64_t> own_id(const Json& id, bool* was_text) {
    if (was_text) *was_text = false;
    if (id.is_int64()) return id.get_int64();
    if (!id.is_string()) return std::nullopt;
    if (was_text) *was_text = true;
    const auto text = view(id.get_string());
    return text.empty() || text.front() == '"' ? std::nullopt : own_id_literal(text);
}

std::string request_line(std::int64_t id, std::string_view method, std::string_view params_json) {
    std::string line;
    line.reserve(64 + method.size() + params_json.size());
    line += R"({"jsonrpc":"2.0","id":)";
    line += std::to_string(id);
    line += R"(,"method":)";
    append_quoted(line, method);
    append_params(line, params_json);
    line += "}\n";
    return line;
}

std::string notification_line(std::string_view method, std::string_view params_json) {
    std::string line = R"({"jsonrpc":"2.0","method":)";
    append_quoted(line, method);
    append_params(line, params_json);
    line += "}\n";
    return line;
}

std::string result_line(const Json& id, const Json& result) {
    std::string line = R"({"jsonrpc":"2.0","id":)";
    append_text(line, id);
    line += R"(,"result":)";
    append_text(line, result);
    line += "}\n";
    return line;
}

std::string error_line(const Json& id, const RpcError& error) {
    std::string line = R"({"jsonrpc":"2.0","id":)";
    append_text(line, id);
    line += R"(,"error":{"code":)" + std::to_string(error.code) + R"(,"message":)";
    append_quoted(line, error.message);
    if (!error.data.is_null()) {
        line += R"(,"data":)";
        append_text(line, error.data);
    }
    line += "}}\n";
    return line;
}

} // namespace foxwedge::mcp
