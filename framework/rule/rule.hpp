// Rules: CEL expressions over named JSON values, parsed and checked once, evaluated within limits.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace foxwedge::rule {

/// What a rule from outside may cost.
struct Limits {
    std::size_t bytes = 16 * 1024; ///< of its text
    std::size_t depth = 64;        ///< of nesting
    std::size_t steps = 100'000;   ///< of one evaluation; long texts and lists count more than one
};

/// An immutable checked rule. Every JSON number it reads is a double; int and double mix in
/// comparison and arithmetic. No clock, no chance, nothing outside its values. Any thread.
class Rule {
public:
    /// Parses `text`, which may use `names` and no other. Errors, permanent, details {"line",
    /// "column"}: `rule_syntax`, `rule_unknown_name` (names and functions), `rule_too_complex`, and
    /// those of Pattern::compile for constant patterns.
    static Result<Rule> compile(std::string_view text, const std::vector<std::string>& names,
                                const Limits& = {});

    /// The rule's value, `values` standing in the order of the names (null: using it is an error).
    /// Error `rule_failed`: what could not be evaluated, or the limit of steps.
    Result<Json> evaluate(std::span<const Json* const> values) const;
    /// The same for a condition: `rule_failed` too if the value is no boolean.
    Result<bool> holds(std::span<const Json* const> values) const;

    const std::string& text() const;

    Rule(Rule&&) noexcept;
    Rule& operator=(Rule&&) noexcept;
    ~Rule();

private:
    struct State;
    explicit Rule(std::unique_ptr<State>);
    std::unique_ptr<State> state_;
};

} // namespace foxwedge::rule
