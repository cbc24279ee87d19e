#include "agent/manifest.hpp"

namespace foxwedge::agent {
namespace {

/// What the outside reads of a tool: how we run it stays with us.
JsonObject described(const Tool& tool) {
    ToolDefinition definition = definition_of(tool);
    definition.effect = ToolEffect::unstated;
    definition.parallel_safe = true;
    definition.timeout.reset();
    return std::move(to_json(definition).get_object());
}

Json entry_of(const Tool& tool) {
    JsonObject out = described(tool);
    if (tool.options.requires_approval) out["requiresApproval"] = *tool.options.requires_approval;
    if (tool.options.approval) out["approval"] = to_json(*tool.options.approval);
    return out;
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
    for (const Tool& tool : tools) out.push_back(described(tool));
    return out;
}

} // namespace foxwedge::agent
