// Which approval rule applies to a tool: the table of docs/approvals as data. Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "contracts/options.hpp"

namespace foxwedge::agent {

enum class RuleSource : unsigned char {
    none,
    tool,             ///< the tool's own `approval`
    agent_default,    ///< the agent's `approval`
    mcp_predicate,    ///< a rule that the server's predicate gave
    predicate_failed, ///< the predicate failed or gave something else
    catalogue,        ///< the host's entry for the tool id
    guardrail,        ///< a guardrail's require-approval
    bare,             ///< `requiresApproval: true` and nothing more
};
const char* to_string(RuleSource) noexcept; ///< "tool", "agent-default", …
std::optional<RuleSource> rule_source(std::string_view);
/// True where nobody has stated a rule for the tool: a standing approval takes a person's place.
bool yields_to_standing(RuleSource) noexcept;

/// What is said about one tool.
struct Stated {
    std::optional<bool> requires_approval;
    std::optional<ApprovalRule> own;
    /// Whose word `own` and `requires_approval` are: tool, mcp_predicate or catalogue.
    RuleSource by = RuleSource::tool;
    bool predicate_failed = false;
};

/// The rule in force; none: the tool is never gated by a rule.
struct Applied {
    std::optional<ApprovalRule> rule; ///< a bare rule always gates
    RuleSource source = RuleSource::none;
};

/// A row of the table. A shadow rule counts as absent here; see `shadow_of`. Error
/// `contradictory_approval` for false beside a rule.
Result<Applied> resolve(const Stated&, const std::optional<ApprovalRule>& agent_default);

/// The shadow rule that `resolve` passed over, to be recorded only.
Applied shadow_of(const Stated&, const std::optional<ApprovalRule>& agent_default);

/// Reads an MCP predicate's answer: true, false, null, a rule; anything else gates.
Stated stated_by_predicate(const Json& answer);
/// Reads the host's catalogue entry for a capability's tool.
Stated stated_by_catalogue(const CatalogueEntry&);

} // namespace foxwedge::agent
