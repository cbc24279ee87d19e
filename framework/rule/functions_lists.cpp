// Functions of lists, for what a model is shown of a result: slice, first, last, distinct.
#include <cmath>
#include <optional>

#include "rule/functions.hpp"

namespace foxwedge::rule {
namespace {

std::optional<std::size_t> bound(const Value& value, std::size_t size) {
    if (value.is(Kind::integer)) {
        if (value.integer < 0) return std::nullopt;
        return std::min(size, static_cast<std::size_t>(value.integer));
    }
    if (!value.is(Kind::real) || value.real != std::floor(value.real) || value.real < 0)
        return std::nullopt;
    return value.real >= static_cast<double>(size) ? size : static_cast<std::size_t>(value.real);
}

/// The elements from `from` up to `to`; what lies beyond the end is not there, and no failure.
Value slice(Arguments arguments, Context& context) {
    if (!arguments[0].is(Kind::list)) return failure(no_overload);
    auto size = size_of(arguments[0]);
    auto from = bound(arguments[1], size);
    auto to = bound(arguments[2], size);
    if (!from || !to || *from > *to) return failure("slice needs 0 <= from <= to");
    std::vector<Value> values;
    for (auto i = *from; i < *to; ++i) values.push_back(element(arguments[0], i));
    context.steps += values.size();
    return context.arena.list(std::move(values));
}

Value first(Arguments arguments, Context&) {
    if (!arguments[0].is(Kind::list)) return failure(no_overload);
    return size_of(arguments[0]) ? element(arguments[0], 0) : failure("the list is empty");
}

Value last(Arguments arguments, Context&) {
    if (!arguments[0].is(Kind::list)) return failure(no_overload);
    auto size = size_of(arguments[0]);
    return size ? element(arguments[0], size - 1) : failure("the list is empty");
}

Value distinct(Arguments arguments, Context& context) {
    if (!arguments[0].is(Kind::list)) return failure(no_overload);
    std::vector<Value> values;
    for (std::size_t i = 0; i < size_of(arguments[0]); ++i) {
        auto value = element(arguments[0], i);
        bool there = false;
        for (const auto& each : values)
            if (equal(each, value, context.steps)) {
                there = true;
                break;
            }
        if (context.steps > context.program.steps) return failure("the list is too long");
        if (!there) values.push_back(value);
    }
    return context.arena.list(std::move(values));
}

constexpr Function list_table[] = {
    {"slice", true, 3, 3, slice},
    {"first", true, 1, 1, first},
    {"last", true, 1, 1, last},
    {"distinct", true, 1, 1, distinct},
};

} // namespace

std::span<const Function> list_functions() {
    return list_table;
}

} // namespace foxwedge::rule
