// Evaluates a checked rule. Depth is bounded by the rule's own, work by its steps.
#pragma once
#include <span>

#include "rule/program.hpp"

namespace foxwedge::rule {

class Evaluation {
public:
    /// `values` in the order of the names; what the result points into lives as long as this.
    Evaluation(const Program& program, std::span<const Value> values);
    Evaluation(const Program& program, std::span<const Json* const> values);
    Value run();

private:
    Value at(NodeId);
    Value name(std::uint32_t slot);
    Value select(const Node&);
    Value index(const Node&);
    Value list(const Node&);
    Value map(const Node&);
    Value call(const Node&);
    Value logic(const Node&, bool decisive);
    Value condition(const Node&);
    Value arithmetic(const Node&);
    Value comparison(const Node&);
    Value in(const Node&);
    Value quantifier(const Node&);
    Value one(const Node&);
    Value each(const Node&);
    bool spend(std::size_t steps = 1) { return (steps_ += steps) <= program_.steps; }
    Value exhausted();
    std::size_t range_size(const Value& range) const { return size_of(range); }
    static Value range_at(const Value& range, std::size_t index) {
        return range.is(Kind::list) ? element(range, index) : key_at(range, index);
    }

    const Program& program_;
    std::span<const Value> values_;
    std::span<const Json* const> json_;
    Arena arena_;
    std::size_t steps_ = 0;
    std::vector<Value> variables_;
};

/// + - * / % on two values that did not fail.
Value calculate(Op, const Value& a, const Value& b, bool strict, Arena&, std::size_t& steps);
Value negated(const Value&);

} // namespace foxwedge::rule
