#include "agent/calls/execute.hpp"

#include "agent/approval/gate.hpp"
#include "agent/approval/late_gates.hpp"
#include "agent/calls/run_tool.hpp"
#include "agent/names.hpp"

namespace foxwedge::agent {
namespace {

/// One call on its lane.
class CallLane {
public:
    CallLane(Session& session, run::Run& lane, PlannedCall& call, int iteration, LateGates& late,
             EndedCall& out)
        : session_(session), lane_(lane), call_(call), iteration_(iteration), late_(late),
          out_(out) {}

    Status run(const std::string& decision_json);

private:
    Status heed(std::string decision_json);
    Result<std::optional<std::string>> edited(Json arguments, int edits);
    Status guard_result(CallRecord&);
    Result<GateDecision> ask_about_result(const Guarded&, const CallRecord&);
    bool may_ask(std::string_view gate);

    Session& session_;
    run::Run& lane_;
    PlannedCall& call_;
    const int iteration_;
    LateGates& late_;
    EndedCall& out_;
    std::optional<Json> given_;
};

/// Counts a gate that was not planned; past `maxApprovals` the call ends here, nothing more of it
/// recorded, so that a raised limit finds it where it stopped.
bool CallLane::may_ask(std::string_view gate) {
    out_.over_budget = !late_.admits(lane_, gate);
    if (!out_.over_budget) ++out_.asked;
    return !out_.over_budget;
}

Status CallLane::run(const std::string& decision_json) {
    if (!call_.refusal && call_.gate) FOXWEDGE_CHECK(heed(decision_json));
    if (out_.over_budget) return {};
    FOXWEDGE_TRY(step, tool_step(session_, lane_, call_, given_));
    for (std::string& text : call_.recorded) out_.recorded.push_back(std::move(text));
    out_.recorded.push_back(std::move(step.recorded));
    if (step.record.result && step.record.refused.empty())
        FOXWEDGE_CHECK(guard_result(step.record));
    out_.shown = step.record.shown();
    out_.is_error = step.record.tool_error;
    out_.arguments = call_.arguments;
    out_.changed = call_.changed;
    out_.spent = step.spent;
    return {};
}

Status CallLane::heed(std::string decision_json) {
    for (int edits = 0;;) {
        GateDecision decision = gate_decision_from_json(decision_json);
        switch (decision.answer) {
        case GateDecision::Answer::approve:
            if (call_.gate->pending) call_.approved_by = approval_step(call_.step_name, edits);
            return {};
        case GateDecision::Answer::reject:
            call_.refusal = denied_by(decision);
            return {};
        case GateDecision::Answer::respond:
            given_ = std::move(decision.payload);
            return {};
        case GateDecision::Answer::edit:
            break;
        }
        FOXWEDGE_TRY(again, edited(std::move(decision.payload), ++edits));
        if (!again) return {};
        decision_json = *std::move(again);
    }
}

/// Takes a reviewer's arguments over; the next decision where they need a gate again.
Result<std::optional<std::string>> CallLane::edited(Json arguments, int edits) {
    call_.arguments = std::move(arguments);
    call_.changed = true;
    const GatePlan before = *std::exchange(call_.gate, std::nullopt);
    FOXWEDGE_TRY(check, check_arguments(session_, lane_, call_, iteration_, edits));
    if (check.stop) {
        call_.refusal = refusal("guardrail", check.message);
        out_.stop = true;
    }
    const bool misfit = call_.refusal && call_.refusal->refused == "invalid_arguments";
    if (!misfit && !call_.gate) return std::optional<std::string>();

    GatePlan plan = call_.gate ? *call_.gate : before;
    if (auto by_rule = gate_for(session_, call_, iteration_)) {
        plan.summary = by_rule->summary;
        plan.rule = by_rule->rule;
        if (plan.risk.empty()) plan.risk = by_rule->risk;
    }
    if (misfit) plan.reason = text_of(*call_.refusal->model);
    call_.refusal.reset();
    if (edits >= max_edits) {
        call_.refusal =
            refusal("approval", "Not done: the arguments were edited " + std::to_string(max_edits) +
                                    " times and still could not be accepted.");
        return std::optional<std::string>();
    }
    plan.pending = true;
    call_.gate = plan;
    const std::string gate = approval_step(call_.step_name, edits);
    if (!may_ask(gate)) return std::optional<std::string>();
    FOXWEDGE_TRY(answer, lane_.ask(gate_spec(session_, call_, plan, gate, iteration_)));
    return std::optional(to_text(answer));
}

Result<GateDecision> CallLane::ask_about_result(const Guarded& guarded, const CallRecord& record) {
    GatePlan plan;
    plan.risk = guarded.risk;
    plan.reason = guarded.reason;
    plan.source = RuleSource::guardrail;
    plan.rule.allow = {"approve", "reject", "respond"};
    run::GateSpec spec =
        gate_spec(session_, call_, plan, result_approval_step(call_.step_name), iteration_);
    Json about = *parse_json(spec.about_json);
    about.get_object()["result"] = to_json(*record.result);
    spec.about_json = to_text(about);
    spec.digest = sha256(canonical_text(about.get_object()["result"]));
    FOXWEDGE_TRY(answer, lane_.ask(spec));
    return gate_decision_from_json(to_text(answer));
}

Status CallLane::guard_result(CallRecord& record) {
    if (!session_.guards.any(Placement::tool_result)) return {};
    JsonObject subject{{"tool", call_.name}, {"agent", session_.id}};
    subject["arguments"] = call_.arguments;
    JsonObject result{{"isError", record.result->is_error}};
    result["content"] = record.result->content;
    if (record.result->structured) result["structuredContent"] = *record.result->structured;
    subject["result"] = std::move(result);
    FOXWEDGE_TRY(guarded, session_.guards.check(
                              lane_, session_.id, Placement::tool_result, std::move(subject),
                              [&](std::string_view label) {
                                  return result_guardrail_step(call_.step_name, label);
                              },
                              session_.world));
    for (std::string& text : guarded.recorded) out_.recorded.push_back(std::move(text));
    if (guarded.outcome != Guarded::Outcome::pass) {
        record = refusal("guardrail", guarded.message);
        out_.recorded.push_back(guarded.message);
        out_.stop = guarded.outcome == Guarded::Outcome::stop;
        return {};
    }
    if (guarded.replaced) {
        FOXWEDGE_TRY(replaced, tool_result_from_json(guarded.value));
        record.model.reset();
        record.tool_error = replaced.is_error;
        if (!record.tool_error) {
            FOXWEDGE_TRY(model, projected(session_, call_, replaced));
            if (model) record.model = *std::move(model);
        }
        record.result = std::move(replaced);
    }
    if (!guarded.approval || !may_ask(result_approval_step(call_.step_name))) return {};
    FOXWEDGE_TRY(decision, ask_about_result(guarded, record));
    if (decision.answer == GateDecision::Answer::approve) return {};
    if (decision.answer == GateDecision::Answer::respond) {
        record = CallRecord();
        record.result = result_of(decision.payload);
    } else {
        record = denied_by(decision);
    }
    out_.recorded.push_back(text_of(record.shown()));
    return {};
}

bool runs_alone(const Session& session, const PlannedCall& call) {
    if (!call.tool) return false;
    const ToolOptions* own = session.settings(call.name);
    return !(own && own->parallel_safe ? *own->parallel_safe : call.tool->definition.parallel_safe);
}

} // namespace

Result<std::vector<EndedCall>> execute_calls(Session& session, TurnContext& turn, CallPlan plan) {
    std::vector<EndedCall> ended(plan.calls.size());
    const int iteration = turn.n + 1;
    LateGates late(turn.run, turn.name, turn.approvals_left() - plan.human_gates);
    run::FanOut fan;
    fan.at_most = session.options.parallel_tool_calls;
    if (!plan.gates_json.empty()) {
        fan.gates_name = gates_step(turn.name);
        fan.gates_json = std::move(plan.gates_json);
    }
    for (PlannedCall& call : plan.calls) {
        run::Branch branch;
        if (call.gate && !call.refusal)
            branch.gate =
                gate_spec(session, call, *call.gate, approval_step(call.step_name), iteration);
        branch.exclusive = runs_alone(session, call);
        EndedCall& out = ended[static_cast<std::size_t>(call.index)];
        branch.body = [&session, &call, &out, &late,
                       iteration](run::Run& lane, const std::string& decision) -> Result<Json> {
            FOXWEDGE_CHECK(CallLane(session, lane, call, iteration, late, out).run(decision));
            return Json();
        };
        fan.branches.push_back(std::move(branch));
    }
    for (auto& result : turn.run.fan_out(std::move(fan)))
        if (!result) return std::move(result).error();
    return ended;
}

} // namespace foxwedge::agent
