#include "agent/approval/resolution.hpp"

#include <utility>

namespace foxwedge::agent {
namespace {

constexpr std::pair<RuleSource, const char*> names[] = {
    {RuleSource::none, "none"},
    {RuleSource::tool, "tool"},
    {RuleSource::agent_default, "agent-default"},
    {RuleSource::mcp_predicate, "mcp-predicate"},
    {RuleSource::predicate_failed, "predicate-failed"},
    {RuleSource::catalogue, "catalogue"},
    {RuleSource::guardrail, "guardrail"},
    {RuleSource::bare, "bare"},
};

bool in_force(const std::optional<ApprovalRule>& rule) {
    return rule && !rule->shadow;
}

} // namespace

const char* to_string(RuleSource source) noexcept {
    for (const auto& [value, name] : names)
        if (value == source) return name;
    return "none";
}

std::optional<RuleSource> rule_source(std::string_view text) {
    for (const auto& [value, name] : names)
        if (name == text) return value;
    return std::nullopt;
}

bool yields_to_standing(RuleSource source) noexcept {
    return source == RuleSource::agent_default || source == RuleSource::bare;
}

Result<Applied> resolve(const Stated& stated, const std::optional<ApprovalRule>& agent_default) {
    if (stated.predicate_failed) return Applied{ApprovalRule(), RuleSource::predicate_failed};
    if (stated.requires_approval == false) {
        if (stated.own)
            return permanent("contradictory_approval",
                             "requiresApproval is false and there is an approval rule: one of the "
                             "two must go");
        return Applied{};
    }
    if (in_force(stated.own)) return Applied{stated.own, stated.by};
    if (in_force(agent_default)) return Applied{agent_default, RuleSource::agent_default};
    if (stated.requires_approval == true) return Applied{ApprovalRule(), RuleSource::bare};
    return Applied{};
}

Applied shadow_of(const Stated& stated, const std::optional<ApprovalRule>& agent_default) {
    if (stated.predicate_failed || stated.requires_approval == false) return {};
    if (stated.own) {
        if (!stated.own->shadow) return {};
        return {stated.own, stated.by};
    }
    if (agent_default && agent_default->shadow) return {agent_default, RuleSource::agent_default};
    return {};
}

Stated stated_by_predicate(const Json& answer) {
    Stated out;
    out.by = RuleSource::mcp_predicate;
    if (answer.is_null()) return out;
    if (answer.is_bool()) {
        out.requires_approval = answer.get_bool();
        return out;
    }
    if (auto rule = approval_rule_from_json(answer)) {
        out.own = *std::move(rule);
        return out;
    }
    out.predicate_failed = true; // silence and nonsense are not the same
    return out;
}

Stated stated_by_catalogue(const CatalogueEntry& entry) {
    Stated out;
    out.by = RuleSource::catalogue;
    out.requires_approval = !entry.auto_approve;
    out.own = entry.approval;
    return out;
}

} // namespace foxwedge::agent
