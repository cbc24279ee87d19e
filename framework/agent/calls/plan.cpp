#include "agent/calls/plan.hpp"

#include <algorithm>

#include "agent/approval/remembered.hpp"
#include "agent/calls/arguments.hpp"
#include "agent/names.hpp"
#include "agent/rendering.hpp"
#include "base/text.hpp"

namespace foxwedge::agent {
namespace {

constexpr std::size_t excerpt = 300; ///< bytes of broken arguments that a model is shown

/// Where `schema` is listed the check is that guardrail's, so that its verdict is on record.
bool is_left_to_guardrail(const GuardrailUse& use) {
    if (use.use != "schema") return false;
    return !use.placements || std::find(use.placements->begin(), use.placements->end(),
                                        to_string(Placement::tool_args)) != use.placements->end();
}

/// Plugins' tools are always checked.
bool is_checked(const Session& session, const PlannedCall& call) {
    const auto& listed = session.options.guardrails;
    if (std::any_of(listed.begin(), listed.end(), is_left_to_guardrail)) return false;
    return call.tool->origin == Origin::capability;
}

void find_tool(const Session& session, PlannedCall& call) {
    if (session.output == OutputWay::tool && call.name == output_tool) {
        call.refusal = refusal("output", "Call " + call.name +
                                             " alone, once the results of all tools are there.");
        return;
    }
    if (call.name == unreadable_call) {
        call.refusal = refusal("invalid_arguments",
                               "A tool_call block must hold one JSON object with name and "
                               "arguments and nothing else.");
        return;
    }
    call.tool = session.table.find(call.name);
    if (!call.tool)
        call.refusal = refusal("unknown_tool", "There is no tool called \"" + call.name + "\".");
}

void read_arguments(PlannedCall& call) {
    auto arguments = parse_arguments(call.written);
    if (arguments)
        call.arguments = *std::move(arguments);
    else
        call.refusal =
            refusal("invalid_arguments",
                    "\"" + call.name + "\" was not called. " + arguments.error().message +
                        " What was written: " + std::string(first_bytes(call.written, excerpt)));
}

std::vector<PlannedCall> calls_of(Session& session, const TurnContext& turn,
                                  const Generated& answer) {
    std::vector<PlannedCall> calls;
    std::vector<std::string> ids;
    for (const Block& block : answer.content) {
        if (block.type != Block::Type::tool_call) continue;
        PlannedCall call;
        call.index = static_cast<int>(calls.size());
        call.name = block.name;
        call.written = block.arguments;
        call.wire_id = session.wire_ids.take(block.call_id, turn.n, call.index);
        ids.push_back(block.call_id);
        calls.push_back(std::move(call));
    }
    const std::vector<std::string> steps = step_ids(ids);
    for (std::size_t i = 0; i < calls.size(); ++i) {
        calls[i].step_id = steps[i];
        calls[i].step_name = call_step(turn.name, steps[i]);
    }
    return calls;
}

JsonObject verdict_to_json(const PlannedCall& call, const GatePlan* gate, const GatePlan* shadow) {
    JsonObject out{{"callId", call.step_id}, {"tool", catalogue_id(*call.tool)}};
    if (gate) {
        out["gates"] = gate->pending;
        out["risk"] = gate->risk;
        out["ruleSource"] = to_string(gate->source);
        if (!gate->reason.empty()) out["reason"] = gate->reason;
        if (!gate->pending) out["decidedBy"] = gate->decided_by;
    }
    if (shadow)
        out["shadow"] = JsonObject{{"gates", shadow->pending},
                                   {"risk", shadow->risk},
                                   {"ruleSource", to_string(shadow->source)}};
    return out;
}

GatePlan asked(const CompiledApproval& rule, RuleSource source, const PlannedCall& call,
               int iteration) {
    const auto tool = catalogue_id(*call.tool);
    const RuleVerdict verdict = rule.ask({tool, call.arguments, iteration});
    return {verdict.gates, verdict.risk, verdict.summary, verdict.reason, source, rule.rule()};
}

} // namespace

std::optional<GatePlan> gate_for(const Session& session, const PlannedCall& call, int iteration) {
    const CompiledApproval* rule = session.approval(call.name);
    if (!rule) return std::nullopt;
    return asked(*rule, call.tool->approval.source, call, iteration);
}

Result<ArgumentCheck> check_arguments(Session& session, run::Run& lane, PlannedCall& call,
                                      int iteration, int edit) {
    if (edit > 0 || is_checked(session, call)) {
        const SchemaVerdict verdict =
            session.schemas.check(call.name, call.tool->definition.input_schema, call.arguments);
        if (!verdict.ok()) {
            call.refusal = refusal(
                "invalid_arguments",
                "The arguments do not fit the tool's schema:\n" +
                    (verdict.usable ? violations_text(verdict.violations) : verdict.problem));
            return ArgumentCheck();
        }
    }
    if (!session.guards.any(Placement::tool_args)) return ArgumentCheck();
    JsonObject subject{{"tool", call.name}, {"iteration", iteration}, {"agent", session.id}};
    subject["arguments"] = call.arguments;
    subject["inputSchema"] = call.tool->definition.input_schema;
    subject["annotations"] = to_json(call.tool->definition.annotations);
    FOXWEDGE_TRY(guarded, session.guards.check(
                              lane, session.id, Placement::tool_args, std::move(subject),
                              [&](std::string_view label) {
                                  return args_guardrail_step(call.step_name, label, edit);
                              },
                              session.world));
    if (guarded.outcome == Guarded::Outcome::stop) return ArgumentCheck{true, guarded.message};
    if (guarded.outcome == Guarded::Outcome::deny) {
        call.refusal = refusal("guardrail", guarded.message);
        return ArgumentCheck();
    }
    if (guarded.replaced) {
        if (!guarded.value.is_object()) {
            call.refusal = refusal("guardrail", "A check replaced the arguments by what is no "
                                                "object, so the call is not made.");
            return ArgumentCheck();
        }
        call.arguments = std::move(guarded.value);
        call.changed = true;
        for (std::string& text : guarded.recorded) call.recorded.push_back(std::move(text));
    }
    if (guarded.approval) {
        GatePlan gate;
        gate.risk = guarded.risk;
        gate.reason = guarded.reason;
        gate.source = RuleSource::guardrail;
        call.gate = std::move(gate);
    }
    return ArgumentCheck();
}

namespace {

/// A stored decision in the place of a person's, where no one has stated a rule for the tool.
void remember(const Session& session, const run::Run& run, PlannedCall& call, int iteration) {
    GatePlan& gate = *call.gate;
    if (!gate.pending || !yields_to_standing(gate.source) || !session.world.store) return;
    const auto rules = remembered_rules(*session.world.store, session.scope.project);
    if (!rules) return;
    const std::string& root = run.head().root.empty() ? run.id() : run.head().root;
    const auto tool = catalogue_id(*call.tool);
    const auto id = remembered_approval(*rules, root, {tool, call.arguments, iteration}, gate.risk,
                                        session.world.rules);
    if (!id) return;
    gate.pending = false;
    gate.decided_by = "rule:" + *id;
}

/// The gates as `…:gates` has them: rules are not asked again once that is on record.
void take_recorded(const Session& session, CallPlan& plan, const Json& verdicts) {
    if (!verdicts.is_array()) return;
    for (const Json& verdict : verdicts.get_array()) {
        const auto gates = bool_member(verdict, "gates");
        if (!gates) continue;
        for (PlannedCall& call : plan.calls) {
            if (call.step_id != string_member(verdict, "callId").value_or("")) continue;
            GatePlan gate;
            gate.pending = *gates;
            gate.risk = string_member(verdict, "risk").value_or("");
            gate.reason = string_member(verdict, "reason").value_or("");
            gate.decided_by = string_member(verdict, "decidedBy").value_or(gate.decided_by);
            gate.source = rule_source(string_member(verdict, "ruleSource").value_or(""))
                              .value_or(RuleSource::none);
            if (const CompiledApproval* rule = session.approval(call.name))
                gate.rule = rule->rule();
            call.gate = std::move(gate);
        }
    }
}

void ask_rules(const Session& session, const run::Run& run, CallPlan& plan, int iteration) {
    JsonArray verdicts;
    for (PlannedCall& call : plan.calls) {
        if (call.refusal) continue;
        // What protects wins: a guardrail's wish stands even where the table says never.
        auto by_rule = gate_for(session, call, iteration);
        if (by_rule && (by_rule->pending || !call.gate)) {
            if (call.gate && by_rule->reason.empty()) by_rule->reason = call.gate->reason;
            // A guardrail's wish is not one that a stored decision answers.
            if (call.gate) by_rule->source = RuleSource::guardrail;
            call.gate = std::move(by_rule);
        }
        if (call.gate) remember(session, run, call, iteration);
        std::optional<GatePlan> shadow;
        if (const CompiledApproval* rule = session.shadow(call.name))
            shadow = asked(*rule, call.tool->shadow.source, call, iteration);
        if (call.gate || shadow)
            verdicts.push_back(verdict_to_json(call, call.gate ? &*call.gate : nullptr,
                                               shadow ? &*shadow : nullptr));
    }
    if (!verdicts.empty()) plan.gates_json = to_text(verdicts);
}

} // namespace

Result<CallPlan> plan_calls(Session& session, TurnContext& turn, const Generated& answer) {
    CallPlan plan;
    plan.calls = calls_of(session, turn, answer);
    for (PlannedCall& call : plan.calls) {
        find_tool(session, call);
        if (!call.refusal) read_arguments(call);
        if (call.refusal) continue;
        FOXWEDGE_TRY(check, check_arguments(session, turn.run, call, turn.n + 1, 0));
        if (!check.stop) continue;
        plan.stopped = check.message;
        return plan;
    }
    if (turn.run.next_step() == gates_step(turn.name) && !turn.run.next_value().empty()) {
        plan.gates_json = turn.run.next_value();
        FOXWEDGE_TRY(verdicts, parse_json(plan.gates_json));
        take_recorded(session, plan, verdicts);
    } else {
        ask_rules(session, turn.run, plan, turn.n + 1);
    }
    for (const PlannedCall& call : plan.calls)
        if (!call.refusal && call.gate && call.gate->pending) ++plan.human_gates;
    return plan;
}

} // namespace foxwedge::agent
