// The end of an agent: its answer as text, or as a value in the shape that was asked for.
#pragma once
#include "agent/loop/model_step.hpp"
#include "agent/loop/session.hpp"

namespace foxwedge::agent {

/// Guardrails at `output`, then the value. A denied answer goes back to the model.
Result<Turn> final_turn(Session&, TurnContext&, ModelSaid);

} // namespace foxwedge::agent
