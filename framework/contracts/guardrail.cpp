#include "contracts/guardrail.hpp"

#include <utility>

#include "contracts/shape.hpp"

namespace foxwedge {
namespace {

constexpr std::string_view invalid_verdict = "invalid_verdict";
using Action = GuardrailVerdict::Action;

constexpr std::pair<Placement, const char*> placements_by_name[] = {
    {Placement::input, "input"},
    {Placement::tool_args, "tool-args"},
    {Placement::tool_result, "tool-result"},
    {Placement::output, "output"},
    {Placement::tool_definition, "tool-definition"},
};
constexpr std::pair<Action, const char*> actions[] = {
    {Action::allow, "allow"},     {Action::deny, "deny"},
    {Action::replace, "replace"}, {Action::require_approval, "require-approval"},
    {Action::stop, "stop"},
};

} // namespace

const char* to_string(Placement where) noexcept {
    for (const auto& [value, name] : placements_by_name)
        if (value == where) return name;
    return "?";
}

std::optional<Placement> placement(std::string_view text) {
    for (const auto& [value, name] : placements_by_name)
        if (name == text) return value;
    return std::nullopt;
}

Json to_json(const GuardrailVerdict& verdict) {
    JsonObject out;
    for (const auto& [value, name] : actions)
        if (value == verdict.action) out["action"] = name;
    if (!verdict.message.empty()) out["message"] = verdict.message;
    if (verdict.action == Action::replace) out["value"] = verdict.value;
    if (!verdict.risk.empty()) out["risk"] = verdict.risk;
    if (!verdict.reason.empty()) out["reason"] = verdict.reason;
    if (verdict.violations.is_array()) out["violations"] = verdict.violations;
    return out;
}

Result<GuardrailVerdict> guardrail_verdict_from_json(const Json& value) {
    if (!value.is_object()) return shape_error(invalid_verdict, "", "a verdict must be an object");
    FOXWEDGE_TRY(action, text_at(value, "action", invalid_verdict, ""));
    GuardrailVerdict verdict;
    bool known = false;
    for (const auto& [one, name] : actions)
        if (action == name) {
            verdict.action = one;
            known = true;
        }
    if (!known)
        return shape_error(invalid_verdict, "/action", "no action is called \"" + action + "\"");
    FOXWEDGE_TRY(message, text_or_empty(value, "message", invalid_verdict, ""));
    FOXWEDGE_TRY(risk, text_or_empty(value, "risk", invalid_verdict, ""));
    FOXWEDGE_TRY(reason, text_or_empty(value, "reason", invalid_verdict, ""));
    verdict.message = std::move(message);
    verdict.risk = std::move(risk);
    verdict.reason = std::move(reason);
    if (verdict.action == Action::replace) {
        const Json* replacement = member(value, "value");
        if (!replacement)
            return shape_error(invalid_verdict, "/value", "a replacement must have a value");
        verdict.value = *replacement;
    }
    if (const Json* violations = member(value, "violations");
        violations && !violations->is_null()) {
        if (!violations->is_array())
            return shape_error(invalid_verdict, "/violations", "must be a list");
        verdict.violations = *violations;
    }
    return verdict;
}

} // namespace foxwedge
