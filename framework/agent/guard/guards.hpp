// An agent's guardrails in their listed order. Each verdict is a step; a replacement feeds the
// next; the first deny wins and nothing after it may undo it; what fails denies.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/calls/tool_table.hpp"
#include "agent/world.hpp"

namespace foxwedge::agent {

/// What all verdicts of one placement came to.
struct Guarded {
    enum class Outcome : unsigned char { pass, deny, stop } outcome = Outcome::pass;
    std::string label;   ///< of the guardrail that denied, stopped or wants a person
    std::string message; ///< deny, stop: for the model
    bool approval = false;
    std::string risk, reason; ///< with `approval`
    bool replaced = false;
    Json value;                        ///< what was checked, with all replacements
    std::vector<std::string> recorded; ///< the steps' values where something was replaced
};

class Guards {
public:
    /// `placements`: as `<id>:tools` recorded them, by label.
    Guards(const std::vector<GuardrailUse>&,
           const std::map<std::string, std::vector<std::string>>& placements);

    bool any(Placement) const;

    struct Asked {
        GuardrailVerdict verdict;
        std::string recorded; ///< the step's value
    };
    /// The k-th guardrail's verdict as the step `name`; what fails becomes a verdict too.
    Result<Asked> ask(run::Run&, std::string_view agent, std::size_t k, Placement,
                      const Json& subject, const std::string& name, World&) const;
    const std::string& label(std::size_t k) const { return all_[k].label; }
    std::size_t size() const { return all_.size(); }

    using StepName = std::function<std::string(std::string_view label)>;
    /// `subject` as documented for the placement. Errors are the run's own, never a guardrail's.
    Result<Guarded> check(run::Run&, std::string_view agent, Placement, Json subject,
                          const StepName&, World&) const;

private:
    struct One {
        GuardrailUse use;
        std::string label;
        std::uint32_t placements = 0;
    };
    std::vector<One> all_;
};

/// The member of a placement's subject that a replacement replaces.
std::string_view replaced_member(Placement);

/// Folds one verdict into what came before it; false: the rest is not asked. Pure.
bool fold(Guarded&, Placement, const std::string& label, const GuardrailVerdict&, Json& subject);

} // namespace foxwedge::agent
