// A durable agent: a model, instructions and tools over a run. Every model call, tool call, verdict
// and approval is a step of its own (docs/agents).
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool.hpp"
#include "agent/world.hpp"
#include "contracts/options.hpp"
#include "run/run.hpp"

namespace foxwedge::agent {

/// Options that were put in force after the start of a run (run::Run::configurations).
struct Reconfigured {
    AgentOptions options;                 ///< provider and model named, not left to the host
    std::optional<ProviderTraits> traits; ///< of its provider, where that was described anew
    std::vector<BudgetHolder> budgets;
    bool tools_anew = false; ///< a fork's: tools, servers, guardrails are frozen again
};

struct Agent {
    AgentOptions options;
    std::vector<Tool> tools; ///< C++ and workflow-backed tools, beside `options.tools`
    /// Called once, before the tools are recorded; on resume handlers are found again by name.
    std::function<std::vector<Tool>(run::Run&)> more_tools;
    std::shared_ptr<Provider> provider;     ///< instead of a name in `options`
    std::vector<std::string> path;          ///< ids of the agents around this one
    std::vector<BudgetHolder> budgets;      ///< of the runs above this one, beside `options.budget`
    std::vector<Reconfigured> reconfigured; ///< the n-th is run::Run::configuration() n, from 1
};

struct AgentResult {
    Json final; ///< text, or the parsed value where `output` is set; null unless it stopped `final`
    int iterations = 0;
    std::string stop_reason; ///< "final", "max-iterations", "stopped", "approval-budget", "budget"
    Spent spent;             ///< by the agent itself and by the workflows that it called
};
/// {"final", "iterations", "stopReason", "usage": {…, "usd"}}
Json to_json(const AgentResult&);

/// Runs the agent to its answer. Steps are named "<id>:…"; `id` is unique within the run. Fails
/// with `invalid_id`, `unknown_provider`, `invalid_tool` and the like before the first model call,
/// else with the error of the step that failed for good. Unwinds as every step does. On the thread
/// of `run`'s lane.
Result<AgentResult> agent(run::Run& run, std::string_view id, const Agent&, World&);

} // namespace foxwedge::agent
