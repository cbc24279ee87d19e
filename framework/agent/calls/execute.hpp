// Planned calls as lanes of one fan-out: gates, tools, result guardrails, projections.
#pragma once
#include <string>
#include <vector>

#include "agent/calls/plan.hpp"

namespace foxwedge::agent {

/// How one call ended, as history and transcript digest take it.
struct EndedCall {
    std::vector<Block> shown;
    bool is_error = false;
    Json arguments; ///< what ran
    bool changed = false;
    std::vector<std::string> recorded; ///< texts on which all this rests
    bool stop = false;                 ///< a guardrail ended the agent
    int asked = 0;                     ///< decisions beside the planned one
    bool over_budget = false;          ///< one more would have been needed and was not allowed
    Spent spent;                       ///< by a workflow that it called
};

/// Runs all calls of a turn; the answers stand in their order. Fails with the error of the first
/// call in order that failed for good.
Result<std::vector<EndedCall>> execute_calls(Session&, TurnContext&, CallPlan);

} // namespace foxwedge::agent
