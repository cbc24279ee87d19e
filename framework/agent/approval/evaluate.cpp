#include "agent/approval/evaluate.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace foxwedge::agent {
namespace {

const std::vector<std::string>& rule_names() {
    static const std::vector<std::string> names{"tool", "args", "risk", "iteration"};
    return names;
}

Result<std::shared_ptr<const CompiledRule>> compiled(std::string_view text,
                                                     RuleLanguage* language) {
    if (!language)
        return permanent("invalid_rule", "this host evaluates no conditions: " + std::string(text));
    return language->compile(text, rule_names());
}

/// True or false, or nothing with the reason why it could not be told.
std::optional<bool> holds(const CompiledRule& rule, std::span<const Json* const> values,
                          std::string& reason) {
    auto value = rule.evaluate(values);
    if (value && value->is_bool()) return value->get_bool();
    reason = value ? "a condition gave no boolean" : value.error().message;
    return std::nullopt;
}

const Json* argument_at(const Json& arguments, std::string_view path) {
    const Json* here = &arguments;
    for (std::string_view part : split(path, '.')) {
        here = member(*here, part);
        if (!here) return nullptr;
    }
    return here;
}

std::string value_of(std::string_view name, const RuleCall& call, std::string_view risk) {
    if (name == "tool") return std::string(call.tool);
    if (name == "risk") return std::string(risk);
    if (name == "iteration") return std::to_string(call.iteration);
    if (name.starts_with("args.")) {
        const Json* value = argument_at(call.arguments, name.substr(5));
        if (!value) return "?";
        return value->is_string() ? std::string(view(value->get_string())) : to_text(*value);
    }
    return "?";
}

} // namespace

int risk_rank(std::string_view level) {
    static constexpr std::string_view levels[] = {"low", "medium", "high", "critical"};
    for (int i = 0; i < 4; ++i)
        if (levels[i] == level) return i + 1;
    return 0;
}

std::string filled_summary(std::string_view text, const RuleCall& call, std::string_view risk) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        if (text.substr(i).starts_with("$${")) {
            out += "${";
            i += 3;
            continue;
        }
        const std::size_t end = text.substr(i).starts_with("${") ? text.find('}', i) : text.npos;
        if (end == text.npos) {
            out += text[i++];
            continue;
        }
        out += value_of(text.substr(i + 2, end - i - 2), call, risk);
        i = end + 1;
    }
    return out;
}

Result<CompiledApproval> CompiledApproval::compile(const ApprovalRule& rule,
                                                   RuleLanguage* language) {
    CompiledApproval out(rule);
    if (!rule.condition.empty()) {
        FOXWEDGE_TRY(condition, compiled(rule.condition, language));
        out.condition_ = std::move(condition);
    }
    if (const auto* list = std::get_if<std::vector<ApprovalRule::Level>>(&rule.risk)) {
        for (const auto& one : *list) {
            FOXWEDGE_TRY(condition, compiled(one.condition, language));
            out.levels_.push_back({std::move(condition), one.level});
        }
    }
    return out;
}

std::string CompiledApproval::risk_of(std::span<const Json* const> values,
                                      std::string& reason) const {
    if (const auto* level = std::get_if<std::string>(&rule_.risk)) return *level;
    for (const Level& one : levels_) {
        const auto answer = holds(*one.condition, values, reason);
        if (!answer) return "critical";
        if (*answer) return one.level;
    }
    return "";
}

RuleVerdict CompiledApproval::ask(const RuleCall& call) const {
    RuleVerdict out;
    if (!condition_ && levels_.empty()) {
        // No condition to evaluate: no values to copy either.
        if (const auto* level = std::get_if<std::string>(&rule_.risk)) out.risk = *level;
    } else {
        const Json tool(call.tool), unset(""), iteration(call.iteration);
        const Json* values[] = {&tool, &call.arguments, &unset, &iteration}; // as rule_names()
        out.risk = risk_of(values, out.reason);
        const Json risk(out.risk);
        values[2] = &risk;
        if (condition_) {
            const auto answer = holds(*condition_, values, out.reason);
            out.gates = answer.value_or(true);
        }
    }
    if (!rule_.min_risk.empty()) {
        const bool risky = risk_rank(out.risk) == 0 || // unset gates
                           risk_rank(out.risk) >= risk_rank(rule_.min_risk);
        out.gates = condition_ ? out.gates || risky : risky;
    }
    out.summary = filled_summary(rule_.summary, call, out.risk);
    return out;
}

} // namespace foxwedge::agent
