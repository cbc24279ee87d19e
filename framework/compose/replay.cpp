#include "compose/config_change.hpp"
#include "compose/host.hpp"
#include "compose/plain_world.hpp"
#include "compose/workflows.hpp"
#include "config/load.hpp"

namespace foxwedge::compose {

Result<run::Finished> replay(journal::Engine& engine, std::string_view run_id,
                             const run::EventSink& events) {
    FOXWEDGE_TRY(head, engine.head(run_id));
    FOXWEDGE_TRY(records, engine.records(run_id));
    FOXWEDGE_TRY(in_force, config_in_force(head, records));
    FOXWEDGE_TRY(config, config::read_pinned(in_force, ""));
    FOXWEDGE_CHECK(check_known(engine, head, config));
    journal::GateQuery query;
    query.run = run_id;
    query.pending_only = false;
    query.limit = 10'000;
    FOXWEDGE_TRY(gates, engine.gates(query));
    // Every look-up refuses: what is on record must be enough.
    auto world = plain_world(config);
    const auto refuse = [](auto&&...) {
        return permanent("replay_contact", "a replay contacts nothing");
    };
    world.provider = refuse;
    world.capability = refuse;
    world.mcp_server = refuse;
    world.guardrail = refuse;
    world.strategy = refuse;
    world.app = refuse;
    PinnedConfigs pinned(config);
    const auto workflow = workflow_of(config, pinned, head.workflow, world);
    const run::ExecuteOptions options{.events = events};
    return run::replay(head, std::move(records), std::move(gates), workflow, options);
}

} // namespace foxwedge::compose
