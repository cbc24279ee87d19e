// A workflow that is a script: two steps of its own run, its agents children of the second.
#pragma once
#include <string>
#include <vector>

#include "agent/budget/spent.hpp"
#include "agent/world.hpp"
#include "run/run.hpp"

namespace foxwedge::compose {

/// The component that runs scripts.
inline constexpr std::string_view script_component = "workflow-script";

struct ScriptJob {
    std::string script;
    Json args;
    std::string agent; ///< whose options the children have, "" where each must be named
    std::string name;  ///< for people
    Json limits;       ///< that its caller has lowered, or null
    std::vector<agent::BudgetHolder> budgets; ///< over this run
};

/// Runs the script through the component `workflow-script`: the step "script:plan" decides what
/// must stay the same when the script runs again, "script" is the script. The value is shaped like
/// an agent's: {"final": what the script returned, "stopReason", "agentsStarted", "usage"}. Fails
/// with the tool's codes (docs/workflows).
Result<Json> run_script(run::Run& run, const ScriptJob& job, agent::World& world);

} // namespace foxwedge::compose
