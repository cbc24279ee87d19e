#include "contracts/shape.hpp"
#include "contracts/tool.hpp"

namespace foxwedge {
namespace {

constexpr std::string_view invalid_result = "invalid_result";

} // namespace

ToolResult text_result(std::string text, bool is_error) {
    ToolResult result;
    result.content.push_back(JsonObject{{"type", "text"}, {"text", text}});
    result.is_error = is_error;
    return result;
}

ToolResult error_result(std::string_view error_code, std::string message) {
    ToolResult result = text_result(std::move(message), true);
    result.details = JsonObject{{"code", error_code}};
    return result;
}

Json to_json(const ToolResult& result) {
    JsonObject out;
    out["content"] = result.content;
    if (result.structured) out["structuredContent"] = *result.structured;
    if (result.is_error) out["isError"] = true;
    if (!result.details.is_null()) out["details"] = result.details;
    return out;
}

Result<ToolResult> tool_result_from_json(const Json& value) {
    if (!value.is_object()) return shape_error(invalid_result, "", "a result must be an object");
    ToolResult result;
    const Json* structured = member(value, "structuredContent");
    if (structured) result.structured = *structured;
    if (const JsonArray* content = array_member(value, "content")) {
        for (std::size_t i = 0; i < content->size(); ++i)
            if (!string_member((*content)[i], "type"))
                return shape_error(invalid_result, pointer_append("/content", i),
                                   "must be a content block with a \"type\"");
        result.content = *content;
    } else if (member(value, "content") || !structured) {
        return shape_error(invalid_result, "/content", "must be a list of content blocks");
    }
    FOXWEDGE_TRY(is_error, bool_or(value, "isError", false, invalid_result, ""));
    result.is_error = is_error;
    if (const Json* details = member(value, "details"); details && !details->is_null()) {
        if (!details->is_object())
            return shape_error(invalid_result, "/details", "must be an object");
        result.details = *details;
    }
    return result;
}

} // namespace foxwedge
