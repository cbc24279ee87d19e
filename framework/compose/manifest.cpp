// What agents can call, from the very options that they get.
#include "agent/manifest.hpp"
#include "compose/host.hpp"

namespace foxwedge::compose {

Json Host::manifest() const {
    JsonObject agents, catalogue;
    for (const auto& [name, options] : config().agents) {
        agent::Agent agent;
        agent.options = options;
        agents[name] = agent::tool_manifest(agent);
    }
    for (const auto& [id, entry] : config().tools)
        catalogue[id] = JsonObject{{"enabled", entry.enabled}, {"autoApprove", entry.auto_approve}};
    return JsonObject{{"host", config().name},
                      {"agents", std::move(agents)},
                      {"catalogue", std::move(catalogue)}};
}

} // namespace foxwedge::compose
