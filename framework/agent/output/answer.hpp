// The end of an agent: its answer as text, or as a value in the shape that was asked for.
#pragma once
#include "agent/loop/model_step.hpp"
#include "agent/loop/session.hpp"

namespace foxwedge::agent {

/// True if the answer is one call of `structured_output` and no other.
bool only_gives_output(const Session&, const Generated&);

/// Inside the model step: an answer that should have a shape and is no JSON is `output_not_json`, a
/// fresh sample is taken. Pure.
Status check_shape(const Session&, const Generated&);

/// The value, with one `:repair:0` step where it breaks the schema (then `output_invalid`);
/// guardrails at `output`, which may send it back to the model or stop the agent.
Result<Turn> final_turn(Session&, TurnContext&, ModelSaid);

} // namespace foxwedge::agent
