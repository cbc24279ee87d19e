#include "capability/tools.hpp"

#include <algorithm>

#include "agent/calls/tool_ids.hpp"

namespace foxwedge::capability {
namespace {

constexpr std::string_view memory_id = "workflow-memory_global_memory";
constexpr std::string_view tool_ids[] = {
    "workflow-knowledge_knowledge_documents",
    "workflow-kv_kv_store",
    memory_id,
    "workflow-ui_present_card",
    "workflow-host_host_configuration",
    "workflow",
    "workflow_poll",
    "workflow_cancel",
};

bool is_offered(std::string_view id, const agent::World& world) {
    const auto* entry = world.catalogue ? world.catalogue(id) : nullptr;
    return entry && entry->enabled && is_capability_available(id, world);
}

Result<ToolDefinition> definition_of(ToolSource& source, std::string_view id,
                                     const agent::World& world) {
    Call call;
    call.scope.project = world.project;
    FOXWEDGE_TRY(list, source.list(call));
    const auto component = agent::component_of(id);
    for (auto& tool : list.tools)
        if (agent::capability_tool_id(component, tool.name) == id) return std::move(tool);
    return permanent("unknown_tool", "the component \"" + std::string(component) +
                                         "\" has no tool \"" + std::string(id) + "\"");
}

agent::Tool tool_of(const std::string& id, const ToolDefinition& definition,
                    std::shared_ptr<ToolSource> source, Approve approve) {
    ToolOptions options;
    options.name = id;
    options.description = definition.description;
    options.input_schema = definition.input_schema;
    options.output_schema = definition.output_schema;
    options.annotations = definition.annotations;
    options.effect = definition.effect;
    options.timeout = definition.timeout;
    options.parallel_safe = definition.parallel_safe;
    options.requires_approval = false; // `approve` asks, once
    return agent::tool(
        std::move(options),
        agent::Handler([id, raw = definition.name, source = std::move(source),
                        approve = std::move(approve)](agent::ToolCall& call) -> Result<ToolResult> {
            Json arguments(call.arguments);
            if (approve) {
                FOXWEDGE_TRY(allowed, approve({id, arguments}, call));
                if (allowed.instead) return *std::move(allowed.instead);
                arguments = std::move(allowed.arguments);
            }
            return source->run(raw, to_text(arguments), call.call);
        }));
}

} // namespace

bool is_capability_tool(std::string_view tool_id) {
    return std::find(std::begin(tool_ids), std::end(tool_ids), tool_id) != std::end(tool_ids);
}

std::vector<std::string> list_capability_tool_ids(const agent::World& world, bool global_memory) {
    std::vector<std::string> out;
    for (const auto id : tool_ids)
        if ((id != memory_id || global_memory) && is_offered(id, world)) out.emplace_back(id);
    return out;
}

bool is_capability_available(std::string_view tool_id, const agent::World& world) {
    if (!is_capability_tool(tool_id) || !world.capability) return false;
    const auto component = agent::component_of(tool_id);
    if (world.unavailable && !world.unavailable(component).empty()) return false;
    return static_cast<bool>(world.capability(component)); // its plugin is there and opens
}

Result<std::vector<agent::Tool>> create_capability_tools(agent::World& world,
                                                         CapabilityOptions options) {
    std::vector<agent::Tool> out;
    for (const auto& id : list_capability_tool_ids(world, options.global_memory)) {
        FOXWEDGE_TRY(source, world.capability(agent::component_of(id)));
        FOXWEDGE_TRY(definition, definition_of(*source, id, world));
        out.push_back(tool_of(id, definition, std::move(source), options.approve));
    }
    return out;
}

} // namespace foxwedge::capability
