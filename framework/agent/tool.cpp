#include "agent/tool.hpp"

#include "agent/approval/resolution.hpp"
#include "agent/calls/call_ids.hpp"

namespace foxwedge::agent {

ToolResult result_of(const Json& value) {
    if (value.is_string()) return text_result(std::string(view(value.get_string())));
    ToolResult result = text_result(to_text(value));
    result.structured = value;
    return result;
}

Tool tool(ToolOptions options, std::function<Result<Json>(const JsonObject&)> handler) {
    return tool(std::move(options),
                Handler([handler = std::move(handler)](ToolCall& call) -> Result<ToolResult> {
                    FOXWEDGE_TRY(value, handler(call.arguments));
                    return result_of(value);
                }));
}

Tool tool(ToolOptions options, Handler handler) {
    Tool out;
    out.options = std::move(options);
    out.handler = std::move(handler);
    return out;
}

Tool workflow_tool(ToolOptions options) {
    Tool out;
    out.options = std::move(options);
    return out;
}

Status check_tool(const Tool& tool) {
    const ToolOptions& o = tool.options;
    const auto refused = [&](const char* why) {
        return permanent("invalid_tool", "tool \"" + o.name + "\": " + why);
    };
    if (!is_plain_word(o.name)) return refused("a name is 1 to 64 letters, digits, '_' or '-'");
    if (static_cast<bool>(tool.handler) == !o.workflow.empty())
        return refused("needs exactly one of a handler and a workflow");
    if (!o.app.empty() && o.workflow.empty()) return refused("`app` goes with a workflow only");
    if (!o.input_schema.is_null() && !o.input_schema.is_object())
        return refused("inputSchema must be an object");
    Stated stated;
    stated.requires_approval = o.requires_approval;
    stated.own = o.approval;
    if (auto resolved = resolve(stated, std::nullopt); !resolved)
        return refused(resolved.error().message.c_str());
    return {};
}

} // namespace foxwedge::agent
