// What agents can call, from the very options that they get.
#include "agent/manifest.hpp"
#include "agent/calls/tool_ids.hpp"
#include "compose/host.hpp"

namespace foxwedge::compose {
namespace {

/// A tool of the catalogue: its entry, and its plugin's description or why it is not there.
Json declared(std::string_view id, const CatalogueEntry& entry, const agent::World& world) {
    JsonObject out{{"enabled", entry.enabled}, {"autoApprove", entry.auto_approve}};
    const auto component = agent::component_of(id);
    if (auto why = world.unavailable(component); !why.empty()) {
        out["unavailable"] = std::move(why);
        return out;
    }
    Call call;
    call.scope.project = world.project;
    const auto list = [&]() -> Result<ToolList> {
        FOXWEDGE_TRY(source, world.capability(component));
        return source->list(call);
    }();
    if (!list) {
        out["unavailable"] = list.error().message;
        return out;
    }
    for (const auto& tool : list->tools)
        if (agent::capability_tool_id(component, tool.name) == id)
            out["definition"] = to_json(tool);
    if (!out.contains("definition")) out["unavailable"] = "its component has no such tool";
    return out;
}

} // namespace

Json Host::manifest() {
    JsonObject agents, catalogue;
    for (const auto& [name, options] : config().agents) {
        agent::Agent agent;
        agent.options = options;
        agents[name] = agent::tool_manifest(agent);
    }
    for (const auto& [id, entry] : config().tools) catalogue[id] = declared(id, entry, world());
    JsonObject out{{"host", config().name},
                   {"agents", std::move(agents)},
                   {"catalogue", std::move(catalogue)}};
    if (JsonObject workflows = defined_tools(); !workflows.empty())
        out["workflows"] = std::move(workflows);
    return out;
}

} // namespace foxwedge::compose
