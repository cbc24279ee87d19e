#include <algorithm>

#include "contracts/options.hpp"
#include "contracts/shape.hpp"

namespace foxwedge {
namespace {

constexpr std::string_view invalid_rule = "invalid_rule";
constexpr std::string_view levels[] = {"low", "medium", "high", "critical"};
constexpr std::string_view answers[] = {"approve", "reject", "edit", "respond"};
constexpr std::string_view timeout_answers[] = {"reject", "approve", "fail"};

template <std::size_t N>
bool one_of(const std::string_view (&list)[N], std::string_view word) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

Status check_level(std::string_view level, std::string_view pointer) {
    if (one_of(levels, level)) return {};
    return shape_error(invalid_rule, pointer,
                       "must be \"low\", \"medium\", \"high\" or \"critical\"");
}

Status read_risk(ApprovalRule& rule, const Json& risk, std::string_view pointer) {
    if (risk.is_string()) {
        FOXWEDGE_CHECK(check_level(view(risk.get_string()), pointer));
        rule.risk = std::string(view(risk.get_string()));
        return {};
    }
    if (!risk.is_array())
        return shape_error(invalid_rule, pointer, "must be a level or a list of {if, level}");
    std::vector<ApprovalRule::Level> list;
    for (std::size_t i = 0; i < risk.get_array().size(); ++i) {
        const std::string here = pointer_append(pointer, i);
        const Json& one = risk.get_array()[i];
        FOXWEDGE_TRY(condition, text_at(one, "if", invalid_rule, here));
        FOXWEDGE_TRY(level, text_at(one, "level", invalid_rule, here));
        FOXWEDGE_CHECK(check_level(level, pointer_append(here, "level")));
        list.push_back({std::move(condition), std::move(level)});
    }
    rule.risk = std::move(list);
    return {};
}

Status read_allow(ApprovalRule& rule, const Json& allow, std::string_view pointer) {
    if (!allow.is_array() || allow.get_array().empty())
        return shape_error(invalid_rule, pointer, "must be a list with at least one answer");
    rule.allow.clear();
    for (std::size_t i = 0; i < allow.get_array().size(); ++i) {
        const Json& one = allow.get_array()[i];
        if (!one.is_string() || !one_of(answers, view(one.get_string())))
            return shape_error(invalid_rule, pointer_append(pointer, i),
                               "must be \"approve\", \"reject\", \"edit\" or \"respond\"");
        rule.allow.emplace_back(view(one.get_string()));
    }
    return {};
}

Status check_names(const Json& value, std::string_view pointer) {
    static constexpr std::string_view known[] = {"risk",      "summary", "allow",   "timeout",
                                                 "onTimeout", "if",      "minRisk", "shadow"};
    for (const auto& entry : value.get_object()) {
        const std::string_view key(entry.key().data(), entry.key().size());
        // A rule protects: a misspelt member must not turn it into a weaker one.
        if (!one_of(known, key))
            return shape_error(invalid_rule, pointer_append(pointer, key),
                               "is no member of a rule");
    }
    return {};
}

} // namespace

Json to_json(const ApprovalRule& rule) {
    JsonObject out;
    if (const auto* level = std::get_if<std::string>(&rule.risk)) {
        if (!level->empty()) out["risk"] = *level;
    } else {
        JsonArray list;
        for (const auto& one : std::get<1>(rule.risk))
            list.push_back(JsonObject{{"if", one.condition}, {"level", one.level}});
        out["risk"] = std::move(list);
    }
    if (!rule.summary.empty()) out["summary"] = rule.summary;
    JsonArray allow;
    for (const std::string& answer : rule.allow) allow.push_back(Json(answer));
    out["allow"] = std::move(allow);
    if (rule.timeout) {
        out["timeout"] = to_duration_text(*rule.timeout);
        out["onTimeout"] = rule.on_timeout;
    }
    if (!rule.condition.empty()) out["if"] = rule.condition;
    if (!rule.min_risk.empty()) out["minRisk"] = rule.min_risk;
    if (rule.shadow) out["shadow"] = true;
    return out;
}

Result<ApprovalRule> approval_rule_from_json(const Json& value, std::string_view pointer) {
    if (!value.is_object()) return shape_error(invalid_rule, pointer, "a rule must be an object");
    FOXWEDGE_CHECK(check_names(value, pointer));
    ApprovalRule rule;
    if (const Json* risk = member(value, "risk"))
        FOXWEDGE_CHECK(read_risk(rule, *risk, pointer_append(pointer, "risk")));
    FOXWEDGE_TRY(summary, text_or_empty(value, "summary", invalid_rule, pointer));
    rule.summary = std::move(summary);
    if (const Json* allow = member(value, "allow"))
        FOXWEDGE_CHECK(read_allow(rule, *allow, pointer_append(pointer, "allow")));
    if (const Json* timeout = member(value, "timeout")) {
        const std::string here = pointer_append(pointer, "timeout");
        if (!timeout->is_string())
            return shape_error(invalid_rule, here, "must be a text such as \"30m\"");
        auto duration = parse_duration(view(timeout->get_string()));
        if (!duration) return shape_error(invalid_rule, here, duration.error().message);
        rule.timeout = *duration;
    }
    FOXWEDGE_TRY(on_timeout, text_or_empty(value, "onTimeout", invalid_rule, pointer));
    if (!on_timeout.empty()) {
        if (!one_of(timeout_answers, on_timeout))
            return shape_error(invalid_rule, pointer_append(pointer, "onTimeout"),
                               "must be \"reject\", \"approve\" or \"fail\"");
        rule.on_timeout = std::move(on_timeout);
    }
    FOXWEDGE_TRY(condition, text_or_empty(value, "if", invalid_rule, pointer));
    rule.condition = std::move(condition);
    FOXWEDGE_TRY(min_risk, text_or_empty(value, "minRisk", invalid_rule, pointer));
    if (!min_risk.empty())
        FOXWEDGE_CHECK(check_level(min_risk, pointer_append(pointer, "minRisk")));
    rule.min_risk = std::move(min_risk);
    FOXWEDGE_TRY(shadow, bool_or(value, "shadow", false, invalid_rule, pointer));
    rule.shadow = shadow;
    return rule;
}

} // namespace foxwedge
