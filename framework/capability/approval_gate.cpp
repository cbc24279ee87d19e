#include "capability/approval_gate.hpp"

#include <algorithm>

#include "agent/approval/evaluate.hpp"
#include "agent/approval/gate.hpp"
#include "agent/approval/resolution.hpp"
#include "agent/budget/accounting.hpp"
#include "agent/step_call.hpp"
#include "base/digest.hpp"

namespace foxwedge::capability {
namespace {

using agent::GateDecision;

std::string about(const NamedCall& call, const ToolDefinition* shown, const agent::Applied& applied,
                  const agent::RuleVerdict& verdict) {
    JsonObject out{{"tool", call.name}, {"callId", "call"}, {"arguments", call.arguments}};
    out["risk"] = verdict.risk;
    out["summary"] = verdict.summary;
    out["ruleSource"] = to_string(applied.source);
    if (!verdict.reason.empty()) out["reason"] = verdict.reason;
    if (shown) {
        out["schema"] = shown->input_schema;
        if (!shown->description.empty()) out["description"] = shown->description;
    }
    return to_text(out);
}

Permission permission_of(const GateDecision& decision, const Json& asked) {
    switch (decision.answer) {
    case GateDecision::Answer::approve:
        return {asked, std::nullopt};
    case GateDecision::Answer::edit:
        return {decision.payload, std::nullopt};
    case GateDecision::Answer::respond: {
        auto given = tool_result_from_json(decision.payload);
        return {asked, given ? *std::move(given) : text_result(to_text(decision.payload))};
    }
    case GateDecision::Answer::reject:
        break;
    }
    const auto why = decision.reason.empty() ? std::string(".") : ": " + decision.reason;
    return {asked, error_result("denied", "Not approved" + why)};
}

} // namespace

Error unregistered(std::string_view tool_id) {
    return permanent("unregistered_tool",
                     "the tool \"" + std::string(tool_id) +
                         "\" is not in the catalogue; declare it under `tools` in the config");
}

ToolResult disabled() {
    return error_result("denied", "The tool is disabled in this project.");
}

Result<Permission> ToolApprovalGate::approve(const NamedCall& call, run::Run& lane,
                                             std::string_view step,
                                             const ToolDefinition* shown) const {
    return decide(call, lane, step, shown, false);
}

Result<Permission> ToolApprovalGate::approve(const NamedCall& call, agent::ToolCall& tool) const {
    run::Run& lane = tool.step.lane();
    // "<run>/<step>[#<generation>]"; names of steps are unique within a run.
    const std::string_view key = tool.call.step_key;
    return approve(call, lane, key.substr(std::min(key.size(), lane.id().size() + 1)));
}

Approve ToolApprovalGate::as_approve() const {
    return [gate = *this](const NamedCall& call, agent::ToolCall& tool) {
        return gate.approve(call, tool);
    };
}

Result<Permission> ToolApprovalGate::resume(const NamedCall& call, run::Run& lane,
                                            std::string_view step,
                                            const ToolDefinition* shown) const {
    return decide(call, lane, step, shown, true);
}

Result<Permission> ToolApprovalGate::decide(const NamedCall& call, run::Run& lane,
                                            std::string_view step, const ToolDefinition* shown,
                                            bool takes_earlier) const {
    const auto* entry = world_.catalogue ? world_.catalogue(call.name) : nullptr;
    if (!entry) return unregistered(call.name);
    if (!entry->enabled) return Permission{call.arguments, disabled()};
    FOXWEDGE_TRY(applied, agent::resolve(agent::stated_by_catalogue(*entry), std::nullopt));
    if (!applied.rule) return Permission{call.arguments, std::nullopt};
    FOXWEDGE_TRY(rule, agent::CompiledApproval::compile(*applied.rule, world_.rules));
    const auto verdict = rule.ask({call.name, call.arguments, 1});
    if (verdict.gates && takes_earlier) {
        FOXWEDGE_TRY(approved, was_approved(call, lane, step));
        if (approved) return Permission{call.arguments, std::nullopt};
    }
    return ask(call, lane, step, shown, applied, verdict);
}

Result<Permission> ToolApprovalGate::ask(const NamedCall& call, run::Run& lane,
                                         std::string_view step, const ToolDefinition* shown,
                                         const agent::Applied& applied,
                                         const agent::RuleVerdict& verdict) const {
    run::GateSpec gate;
    gate.name = std::string(step) + ":approval";
    gate.about_json = about(call, shown, applied, verdict);
    gate.digest = sha256(canonical_text(call.arguments));
    const auto scope = agent::scope_of(lane.head(), step, world_.project);
    gate.path = {std::string(step)};
    gate.allow = applied.rule->allow;
    gate.timeout = applied.rule->timeout;
    gate.on_timeout = applied.rule->on_timeout;
    if (verdict.gates) {
        gate.effects = agent::gate_opened_effects(world_, scope, gate.about_json);
        gate.effects_on_close = agent::gate_closed_effects(world_, scope);
    } else {
        gate.decided_json =
            to_text(JsonObject{{"answer", "approve"}, {"decidedBy", "system:rule"}});
    }
    FOXWEDGE_TRY(decided, lane.ask(gate));
    return permission_of(agent::gate_decision_from_json(to_text(decided)), call.arguments);
}

Result<bool> ToolApprovalGate::was_approved(const NamedCall& call, run::Run& lane,
                                            std::string_view step) const {
    if (!world_.approvals) return false;
    const auto digest = sha256(canonical_text(call.arguments));
    run::StepOptions options;
    options.kind = "approval";
    options.inputs = JsonObject{{"tool", call.name}, {"digest", to_hex(digest)}};
    const auto name = std::string(step) + ":approved";
    FOXWEDGE_TRY(value, lane.step(name, options, [&](run::StepCall&) -> Result<run::StepValue> {
        const auto scope = agent::scope_of(lane.head(), step, world_.project);
        FOXWEDGE_TRY(gates, world_.approvals->approved(scope, call.name, digest));
        for (const auto& gate : gates) {
            FOXWEDGE_TRY(ours, world_.approvals->claim(scope.project, gate.run, gate.step,
                                                       lane.id() + "/" + name));
            if (ours) return run::StepValue{to_text(JsonObject{{"gate", gate.id}}), false, {}, {}};
        }
        return run::StepValue{"null", false, {}, {}};
    }));
    return value.value_json != "null";
}

} // namespace foxwedge::capability
