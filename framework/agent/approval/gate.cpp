#include "agent/approval/gate.hpp"

#include "agent/budget/accounting.hpp"

namespace foxwedge::agent {
namespace {

std::string about(const Session& session, const PlannedCall& call, const GatePlan& gate,
                  int iteration) {
    const ToolDefinition& tool = call.tool->definition;
    JsonObject out{
        {"tool", catalogue_id(*call.tool)}, {"callId", call.step_id}, {"agent", session.id}};
    out["arguments"] = call.arguments;
    out["schema"] = tool.input_schema;
    out["risk"] = gate.risk;
    out["summary"] = gate.summary;
    out["ruleSource"] = to_string(gate.source);
    out["iteration"] = iteration;
    if (!gate.reason.empty()) out["reason"] = gate.reason;
    if (!tool.title.empty()) out["title"] = tool.title;
    if (!tool.description.empty()) out["description"] = tool.description;
    if (Json hints = to_json(tool.annotations); !hints.get_object().empty())
        out["annotations"] = std::move(hints);
    if (!call.tool->source.empty()) {
        out["origin"] = to_string(call.tool->origin);
        out["source"] = call.tool->source;
    }
    if (call.changed) out["written"] = call.written;
    return to_text(out);
}

} // namespace

run::GateSpec gate_spec(const Session& session, const PlannedCall& call, const GatePlan& gate,
                        std::string step_name, int iteration) {
    run::GateSpec spec;
    spec.name = std::move(step_name);
    spec.digest = sha256(canonical_text(call.arguments));
    if (!gate.pending) {
        spec.decided_json =
            to_text(JsonObject{{"answer", "approve"}, {"decidedBy", gate.decided_by}});
        return spec;
    }
    spec.about_json = about(session, call, gate, iteration);
    spec.path = session.path;
    spec.allow = gate.rule.allow;
    spec.timeout = gate.rule.timeout;
    spec.on_timeout = gate.rule.on_timeout;
    spec.effects = gate_opened_effects(session.world, session.scope, spec.about_json);
    spec.effects_on_close = gate_closed_effects(session.world, session.scope);
    return spec;
}

GateDecision gate_decision_from_json(const std::string& decision_json) {
    GateDecision out;
    auto value = parse_json(decision_json);
    if (!value) return out;
    const auto answer = string_member(*value, "answer").value_or("");
    out.decided_by = string_member(*value, "decidedBy").value_or("");
    out.reason = string_member(*value, "reason").value_or("");
    if (answer == "approve") out.answer = GateDecision::Answer::approve;
    if (answer == "edit") {
        const Json* arguments = member(*value, "arguments");
        if (arguments && arguments->is_object()) {
            out.answer = GateDecision::Answer::edit;
            out.payload = *arguments;
        }
    }
    if (answer == "respond") {
        out.answer = GateDecision::Answer::respond;
        if (const Json* payload = member(*value, "value")) out.payload = *payload;
    }
    return out;
}

CallRecord denied_by(const GateDecision& decision) {
    if (decision.decided_by == "system:timeout")
        return refusal("approval", "Not done: nobody answered the question for approval in time.");
    std::string text = "Not done: the call was not approved.";
    if (!decision.reason.empty()) text += " Reason: " + decision.reason;
    return refusal("approval", std::move(text));
}

} // namespace foxwedge::agent
