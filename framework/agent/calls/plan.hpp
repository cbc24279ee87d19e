// From what the model asked for to what is to run: ids, known tools, arguments, guardrails, rules.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "agent/approval/evaluate.hpp"
#include "agent/calls/ending.hpp"
#include "agent/loop/session.hpp"

namespace foxwedge::agent {

/// What a person is to be asked before a call may run.
struct GatePlan {
    bool pending = true; ///< false: the rule declined, nobody is asked
    std::string risk, summary, reason;
    RuleSource source = RuleSource::none;
    ApprovalRule rule;
    std::string decided_by = "system:rule"; ///< where nobody is asked
};

struct PlannedCall {
    int index = 0;
    std::string step_id, wire_id, step_name;
    std::string name;    ///< as the model calls it
    std::string written; ///< the arguments' text as the model wrote it
    const FrozenTool* tool = nullptr;
    Json arguments = JsonObject(); ///< a JSON object
    bool changed = false;          ///< they are no longer what the model wrote
    std::optional<CallRecord> refusal;
    std::optional<GatePlan> gate;
    std::string
        approved_by; ///< the gate's step at which a person let it run; "" where nobody had to
    std::vector<std::string> recorded; ///< verdicts that replaced arguments
};

struct CallPlan {
    std::vector<PlannedCall> calls;
    std::optional<std::string> stopped; ///< a guardrail ended the agent; its message
    int human_gates = 0;
    /// The value of `…:gates`; "" where no call has a rule.
    std::string gates_json;
};

/// Writes the verdicts' steps, in the order of the calls.
Result<CallPlan> plan_calls(Session&, TurnContext&, const Generated&);

/// Arguments against schema and argument guardrails; `edit` counts a reviewer's edits. Fills in
/// refusal, arguments and, where a guardrail wants it, the gate.
struct ArgumentCheck {
    bool stop = false;
    std::string message;
};
Result<ArgumentCheck> check_arguments(Session&, run::Run&, PlannedCall&, int iteration, int edit);

/// The rule's word on a call. Pure.
std::optional<GatePlan> gate_for(const Session&, const PlannedCall&, int iteration);

} // namespace foxwedge::agent
