// A gate as a row that people can list and answer, and what an answer means for the call.
#pragma once
#include <string>

#include "agent/calls/plan.hpp"

namespace foxwedge::agent {

inline constexpr int max_edits = 3; ///< that need a gate again; the next is a rejection

/// The gate's step and row: pending, or decided by the system where the rule declined.
run::GateSpec gate_spec(const Session&, const PlannedCall&, const GatePlan&, std::string step_name,
                        int iteration);

struct GateDecision {
    enum class Answer : unsigned char { approve, reject, edit, respond } answer = Answer::reject;
    Json payload; ///< edit: the arguments; respond: the result
    std::string reason, decided_by;
};
/// What is not understood is a rejection.
GateDecision gate_decision_from_json(const std::string& decision_json);

/// What the model reads of a denial.
CallRecord denied_by(const GateDecision&);

} // namespace foxwedge::agent
