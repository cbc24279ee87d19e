// The turn that an agent's options make: view, model, calls, results, answer.
#pragma once
#include "agent/loop/sessions.hpp"

namespace foxwedge::agent {

Result<Turn> agent_turn(Sessions&, TurnContext&);

/// The exchange as the history keeps it: calls with the ids and arguments that ran, results in the
/// order of the calls. Pure.
struct EndedCall;
struct PlannedCall;
Group exchange(const Generated&, const std::vector<PlannedCall>&, const std::vector<EndedCall>&);

} // namespace foxwedge::agent
