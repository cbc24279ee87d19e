#include "rule/rule.hpp"

#include "rule/evaluate.hpp"

namespace foxwedge::rule {

struct Rule::State {
    std::string text;
    Program program;
};

Rule::Rule(std::unique_ptr<State> state) : state_(std::move(state)) {}
Rule::Rule(Rule&&) noexcept = default;
Rule& Rule::operator=(Rule&&) noexcept = default;
Rule::~Rule() = default;

Result<Rule> Rule::compile(std::string_view text, const std::vector<std::string>& names,
                           const Limits& limits) {
    auto state = std::make_unique<State>();
    state->text = text;
    CompileOptions options;
    options.names = names;
    options.limits = limits;
    FOXWEDGE_TRY(program, rule::compile(text, options));
    state->program = std::move(program);
    return Rule(std::move(state));
}

Result<Json> Rule::evaluate(std::span<const Json* const> values) const {
    Evaluation evaluation(state_->program, values);
    return to_json(evaluation.run());
}

Result<bool> Rule::holds(std::span<const Json* const> values) const {
    Evaluation evaluation(state_->program, values);
    auto value = evaluation.run();
    if (value.is(Kind::boolean)) return value.boolean;
    if (value.failed()) return permanent("rule_failed", value.text);
    return permanent("rule_failed",
                     std::string("the rule gives a ") + type_name(value.kind) + ", not a boolean");
}

const std::string& Rule::text() const {
    return state_->text;
}

} // namespace foxwedge::rule
