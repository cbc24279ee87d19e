// A recorded conversation under another prompt or model: models are asked, tools and gates are
// answered from the record, nothing is written to the run or the store.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "agent/world.hpp"
#include "config/host_config.hpp"
#include "journal/engine.hpp"
#include "run/run.hpp"

namespace foxwedge::compose {

/// One thing that came out another way. `what`: "answer", "stop", "error", "call" (the n-th that
/// the model asked for), "not recorded" (a tool, gate or server that the record knows nothing of).
struct Difference {
    std::string what;
    Json before, after; ///< null where there was none
};
Json to_json(const Difference&);

struct Rehearsal {
    std::string run;
    std::vector<Difference> differences;
    run::Finished finished;
    Json usage_before, usage_after;
};
Json to_json(const Rehearsal&);

/// `resolved`: what of `config` counts for this run. `world` is the host's of `config`: of it only
/// models, guardrails, strategies and the lists of capabilities' tools are used. Blocks until the
/// conversation ends.
Result<Rehearsal> rehearse(journal::Engine&, std::string_view run, const config::HostConfig& config,
                           const Json& resolved, agent::World world, const run::EventSink& = {});

} // namespace foxwedge::compose
