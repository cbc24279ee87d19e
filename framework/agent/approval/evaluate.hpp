// One approval rule held against one call: does it gate, and what is a person shown? Pure.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/options.hpp"

namespace foxwedge::agent {

/// A condition or projection, compiled once. Any thread.
class CompiledRule {
public:
    virtual ~CompiledRule() = default;
    /// `values` stand in the order of the names that it was compiled for. Bounded; errors are
    /// values.
    virtual Result<Json> evaluate(std::span<const Json* const> values) const = 0;
};

/// The language of rules, seen from here: CEL (cel.hpp). Any thread.
class RuleLanguage {
public:
    virtual ~RuleLanguage() = default;
    /// Refuses (`invalid_rule`) what does not parse or reads a name outside `names`.
    virtual Result<std::shared_ptr<const CompiledRule>>
    compile(std::string_view text, const std::vector<std::string>& names) = 0;
};

/// What a rule is asked about.
struct RuleCall {
    std::string_view tool; ///< its id in the catalogue
    const Json& arguments; ///< an object
    int iteration = 1;     ///< turns are counted from 1 here
};

struct RuleVerdict {
    bool gates = true;
    std::string risk;    ///< "" where unset
    std::string summary; ///< filled in
    std::string reason;  ///< why it gates although a part could not be evaluated; or ""
};

/// A rule that is ready to be asked. Any thread.
class CompiledApproval {
public:
    /// `language` may be null where no rule has a condition; then one with a condition is
    /// `invalid_rule`, never ignored.
    static Result<CompiledApproval> compile(const ApprovalRule&, RuleLanguage* language);

    /// What cannot be evaluated raises the gate; a risk that cannot be is critical.
    RuleVerdict ask(const RuleCall&) const;
    const ApprovalRule& rule() const { return rule_; }

private:
    struct Level {
        std::shared_ptr<const CompiledRule> condition;
        std::string level;
    };
    explicit CompiledApproval(ApprovalRule rule) : rule_(std::move(rule)) {}
    std::string risk_of(std::span<const Json* const> values, std::string& reason) const;

    ApprovalRule rule_;
    std::shared_ptr<const CompiledRule> condition_;
    std::vector<Level> levels_;
};

/// 0 for "", 1 low … 4 critical.
int risk_rank(std::string_view level);

/// Fills ${tool}, ${risk}, ${iteration}, ${args.a.b}; "$${" is "${"; what is missing stands as "?".
std::string filled_summary(std::string_view text, const RuleCall&, std::string_view risk);

} // namespace foxwedge::agent
