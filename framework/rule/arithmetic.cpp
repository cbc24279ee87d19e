#include <cmath>
#include <limits>

#include "rule/evaluate.hpp"
#include "rule/functions.hpp"

namespace foxwedge::rule {
namespace {

constexpr const char* overflow = "the result is out of range";
constexpr const char* by_zero = "division by zero";

template <class Integer>
Value whole(Op op, Integer a, Integer b, Value (*made)(Integer)) {
    Integer result = 0;
    switch (op) {
    case Op::add:
        return __builtin_add_overflow(a, b, &result) ? failure(overflow) : made(result);
    case Op::subtract:
        return __builtin_sub_overflow(a, b, &result) ? failure(overflow) : made(result);
    case Op::multiply:
        return __builtin_mul_overflow(a, b, &result) ? failure(overflow) : made(result);
    default:
        break;
    }
    if (b == 0) return failure(by_zero);
    if constexpr (std::is_signed_v<Integer>)
        if (b == -1) {
            if (a == std::numeric_limits<Integer>::min()) return failure(overflow);
            return made(op == Op::divide ? -a : 0);
        }
    return made(op == Op::divide ? a / b : a % b);
}

Value real(Op op, double a, double b, bool strict) {
    switch (op) {
    case Op::add:
        return of_real(a + b);
    case Op::subtract:
        return of_real(a - b);
    case Op::multiply:
        return of_real(a * b);
    case Op::divide:
        return of_real(a / b);
    default:
        break;
    }
    // The standard has no remainder of doubles; where every JSON number is one, rules need it.
    if (strict) return failure(no_overload);
    return b == 0 ? failure(by_zero) : of_real(std::fmod(a, b));
}

double as_real(const Value& value) {
    return value.is(Kind::real)      ? value.real
           : value.is(Kind::integer) ? static_cast<double>(value.integer)
                                     : static_cast<double>(value.unsigned_);
}

Value joined(const Value& a, const Value& b, Arena& arena, std::size_t& steps) {
    if (a.is(Kind::list)) {
        std::vector<Value> values;
        steps += size_of(a) + size_of(b);
        values.reserve(size_of(a) + size_of(b));
        for (const auto& part : {a, b})
            for (std::size_t i = 0; i < size_of(part); ++i) values.push_back(element(part, i));
        return arena.list(std::move(values));
    }
    steps += (a.size + b.size) / 64;
    return arena.text(std::string(a.view()).append(b.view()), a.kind);
}

bool is_time(const Value& value) {
    return value.is(Kind::timestamp) || value.is(Kind::duration);
}

} // namespace

Value calculate(Op op, const Value& a, const Value& b, bool strict, Arena& arena,
                std::size_t& steps) {
    if (a.is_number() && b.is_number()) {
        if (a.is(Kind::real) && b.is(Kind::real)) return real(op, a.real, b.real, strict);
        if (a.is(Kind::integer) && b.is(Kind::integer))
            return whole<std::int64_t>(op, a.integer, b.integer, of_int);
        if (a.is(Kind::unsigned_) && b.is(Kind::unsigned_))
            return whole<std::uint64_t>(op, a.unsigned_, b.unsigned_, of_uint);
        if (!strict) return real(op, as_real(a), as_real(b), strict);
        return failure(no_overload);
    }
    if (op == Op::add && a.kind == b.kind &&
        (a.is(Kind::string) || a.is(Kind::bytes) || a.is(Kind::list))) {
        // Spent before it is made: a text that doubles again and again never gets large.
        auto before = steps;
        auto value = joined(a, b, arena, steps);
        return steps - before > 1'000'000 ? failure("the result is too large") : value;
    }
    if (is_time(a) && is_time(b)) {
        if (op == Op::add) return add_times(a, b);
        if (op == Op::subtract) return subtract_times(a, b);
    }
    return failure(no_overload);
}

Value negated(const Value& value) {
    if (value.is(Kind::real)) return of_real(-value.real);
    if (!value.is(Kind::integer)) return failure(no_overload);
    if (value.integer == std::numeric_limits<std::int64_t>::min()) return failure(overflow);
    return of_int(-value.integer);
}

} // namespace foxwedge::rule
