#include "mcp/tool_result.hpp"

namespace foxwedge::mcp {
namespace {

Error invalid(std::string why) {
    return permanent("invalid_response", "the server's answer to tools/call is invalid: " + why);
}

std::string text_of(const JsonArray& content) {
    std::string text;
    for (const Json& block : content) {
        const auto part = string_member(block, "text");
        if (!part) continue;
        if (!text.empty()) text += '\n';
        text += *part;
    }
    return text;
}

/// Some servers wrap the refusal of bad arguments into a result; it means what the error means.
bool is_wrapped_refusal(const ToolResult& result) {
    return result.is_error && text_of(result.content).rfind("MCP error -32602", 0) == 0;
}

void set_detail(Json& details, std::string_view key, Json value) {
    if (!details.is_object()) details = JsonObject();
    details.get_object()[boost::json::string_view(key.data(), key.size())] = std::move(value);
}

/// Our own cards travel in `_meta`.
void take_cards(const Json& result, Json& details) {
    const Json* meta = member(result, "_meta");
    if (!meta) return;
    if (const Json* card = member(*meta, "foxwedge/resourceCard"))
        set_detail(details, "resourceCard", *card);
    if (const Json* card = member(*meta, "foxwedge/card")) set_detail(details, "card", *card);
}

/// A member to be taken out, or null.
Json* own_member(Json& object, boost::json::string_view key) {
    return object.is_object() ? object.get_object().if_contains(key) : nullptr;
}

Result<ToolResult> judged(ToolResult result) {
    if (!result.is_error) return result;
    if (is_wrapped_refusal(result)) {
        set_detail(result.details, "code", "invalid_params");
        return result;
    }
    Error error{"tool_error", text_of(result.content), Certainty::done_with_error, {}, {}};
    if (error.message.empty()) error.message = "the tool reported an error without a text";
    error.details = R"({"toolResult":)" + to_text(to_json(result)) + "}";
    return error;
}

} // namespace

Result<ToolResult> read_tool_result(Json result, bool repaired) {
    if (const auto kind = string_member(result, "resultType"); kind && *kind != "complete")
        return invalid("its resultType \"" + std::string(*kind) + "\" is not known");
    Json* content = own_member(result, "content");
    Json* structured = own_member(result, "structuredContent");
    const bool failed = bool_member(result, "isError").value_or(false);
    if (!result.is_object() && !result.is_null()) return invalid("the result is no object");
    if (!content && !structured && !failed)
        return error_result("empty_result", "The tool returned nothing.");

    ToolResult read;
    read.is_error = failed;
    if (content) {
        if (!content->is_array()) return invalid("content is no array");
        for (Json& block : content->get_array()) {
            if (!string_member(block, "type")) return invalid("a content block has no type");
            // Ours alone: what a provider keeps with a block of its own.
            block.get_object().erase("opaque");
        }
        read.content = std::move(content->get_array());
    }
    if (structured) {
        if (read.content.empty()) read.content = text_result(to_text(*structured)).content;
        if (!structured->is_object()) set_detail(read.details, "nonConforming", true);
        read.structured = std::move(*structured);
    }
    if (repaired) set_detail(read.details, "repairedUtf8", true);
    take_cards(result, read.details);
    return judged(std::move(read));
}

Result<ToolResult> read_tool_error(const RpcError& error) {
    if (error.code == rpc::invalid_params) return error_result("invalid_params", error.message);
    Error out{"rpc_error",
              "the server answered with error " + std::to_string(error.code) + ": " + error.message,
              Certainty::done_with_error,
              {},
              R"({"code":)" + std::to_string(error.code)};
    if (!error.data.is_null()) out.details += R"(,"data":)" + to_text(error.data);
    out.details += "}";
    return out;
}

ToolResult returned_to_model(const Error& error) {
    if (!error.details.empty()) {
        if (const auto details = parse_json(error.details)) {
            if (const Json* inner = member(*details, "toolResult"))
                if (auto result = tool_result_from_json(*inner)) return std::move(*result);
        }
    }
    return error_result(error.code, error.message);
}

} // namespace foxwedge::mcp
