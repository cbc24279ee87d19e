// Before a turn's model call: asks the strategy what is to be shown, and where it wants a summary
// has one made, as a step of its own.
#pragma once
#include "agent/loop/session.hpp"

namespace foxwedge::agent {

/// What is to be recorded with the model's answer; null without a strategy and where the answer is
/// on record already. Errors: the strategy's (`context_window_exceeded`).
Result<Json> choose_view(Session&, TurnContext&);

/// Share of what is covered that a summary may be at most; more, and it is discarded.
inline constexpr double useful_summary = 0.9;

} // namespace foxwedge::agent
