#include "agent/manifest.hpp"

namespace foxwedge::agent {
namespace {

Json entry_of(const Tool& tool) {
    Json value = to_json(definition_of(tool));
    JsonObject& out = value.get_object();
    if (tool.options.requires_approval) out["requiresApproval"] = *tool.options.requires_approval;
    if (tool.options.approval) out["approval"] = to_json(*tool.options.approval);
    return value;
}

} // namespace

ToolDefinition definition_of(const Tool& tool) {
    const ToolOptions& o = tool.options;
    ToolDefinition out;
    out.name = o.name;
    out.title = o.annotations.title.value_or("");
    out.description = o.description;
    out.input_schema =
        o.input_schema.is_null() ? Json(JsonObject{{"type", "object"}}) : o.input_schema;
    out.output_schema = o.output_schema;
    out.annotations = o.annotations;
    out.effect = o.effect;
    out.parallel_safe = o.parallel_safe.value_or(true);
    out.timeout = o.timeout;
    return out;
}

Json tool_manifest(const Agent& agent) {
    JsonArray tools, servers;
    for (const Tool& tool : agent.tools) tools.push_back(entry_of(tool));
    for (const ToolOptions& options : agent.options.tools) {
        if (options.use.empty())
            tools.push_back(entry_of(workflow_tool(options)));
        else
            tools.push_back(JsonObject{{"use", options.use}});
    }
    for (const McpServerUse& server : agent.options.mcp_servers)
        servers.push_back(JsonObject{{"name", server.name}});
    JsonObject out;
    out["tools"] = std::move(tools);
    out["mcpServers"] = std::move(servers);
    return out;
}

JsonArray McpEmitter::emit(const std::vector<Tool>& tools) const {
    JsonArray out;
    for (const Tool& tool : tools) {
        Json value = to_json(definition_of(tool));
        for (const char* ours : {"effect", "parallelSafe", "timeoutMs"})
            value.get_object().erase(ours);
        out.push_back(std::move(value));
    }
    return out;
}

} // namespace foxwedge::agent
