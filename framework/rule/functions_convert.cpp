// size, type, dyn and the conversions between kinds.
#include <charconv>
#include <cmath>

#include "base/json.hpp"
#include "base/text.hpp"
#include "rule/functions.hpp"

namespace foxwedge::rule {
namespace {

constexpr const char* number_out_of_range = "the number is out of range";
constexpr const char* not_convertible = "the text does not say such a value";

Value size(Arguments arguments, Context& context) {
    const auto& value = arguments[0];
    switch (value.kind) {
    case Kind::string:
        context.steps += value.size / 64;
        return of_int(static_cast<std::int64_t>(code_points(value.view())));
    case Kind::bytes:
        return of_int(static_cast<std::int64_t>(value.size));
    case Kind::list:
    case Kind::map:
        return of_int(static_cast<std::int64_t>(size_of(value)));
    default:
        return failure(no_overload);
    }
}

Value type(Arguments arguments, Context&) {
    return of_type(arguments[0].kind);
}
Value dyn(Arguments arguments, Context&) {
    return arguments[0];
}

template <class Number>
bool read(std::string_view text, Number& number) {
    if (text.starts_with('+')) text.remove_prefix(1);
    auto end = text.data() + text.size();
    auto result = std::from_chars(text.data(), end, number);
    return result.ec == std::errc{} && result.ptr == end;
}

Value to_int(Arguments arguments, Context&) {
    const auto& value = arguments[0];
    constexpr double limit = 9223372036854775808.0;
    switch (value.kind) {
    case Kind::integer:
        return value;
    case Kind::unsigned_:
        if (value.unsigned_ > static_cast<std::uint64_t>(INT64_MAX))
            return failure(number_out_of_range);
        return of_int(static_cast<std::int64_t>(value.unsigned_));
    case Kind::real:
        // The ends themselves are refused: what was rounded to them may have been beyond.
        if (!(value.real > -limit && value.real < limit)) return failure(number_out_of_range);
        return of_int(static_cast<std::int64_t>(value.real));
    case Kind::string: {
        std::int64_t number = 0;
        return read(value.view(), number) ? of_int(number) : failure(not_convertible);
    }
    case Kind::timestamp:
        return of_int(value.integer);
    default:
        return failure(no_overload);
    }
}

Value to_uint(Arguments arguments, Context&) {
    const auto& value = arguments[0];
    constexpr double limit = 18446744073709551616.0;
    switch (value.kind) {
    case Kind::unsigned_:
        return value;
    case Kind::integer:
        if (value.integer < 0) return failure(number_out_of_range);
        return of_uint(static_cast<std::uint64_t>(value.integer));
    case Kind::real:
        if (!(value.real >= 0 && value.real < limit)) return failure(number_out_of_range);
        return of_uint(static_cast<std::uint64_t>(value.real));
    case Kind::string: {
        std::uint64_t number = 0;
        return read(value.view(), number) ? of_uint(number) : failure(not_convertible);
    }
    default:
        return failure(no_overload);
    }
}

Value to_double(Arguments arguments, Context&) {
    const auto& value = arguments[0];
    switch (value.kind) {
    case Kind::real:
        return value;
    case Kind::integer:
        return of_real(static_cast<double>(value.integer));
    case Kind::unsigned_:
        return of_real(static_cast<double>(value.unsigned_));
    case Kind::string: {
        double number = 0;
        return read(value.view(), number) ? of_real(number) : failure(not_convertible);
    }
    default:
        return failure(no_overload);
    }
}

std::string real_text(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
    return foxwedge::to_text(Json(value));
}

Value to_string(Arguments arguments, Context& context) {
    const auto& value = arguments[0];
    switch (value.kind) {
    case Kind::string:
        return value;
    case Kind::boolean:
        return of_text(value.boolean ? "true" : "false");
    case Kind::integer:
        return context.arena.text(std::to_string(value.integer));
    case Kind::unsigned_:
        return context.arena.text(std::to_string(value.unsigned_));
    case Kind::real:
        return context.arena.text(value.source ? foxwedge::to_text(*value.source)
                                               : real_text(value.real));
    case Kind::bytes:
        if (!is_utf8(value.view())) return failure("the bytes are no valid UTF-8");
        return of_text(value.view());
    case Kind::timestamp:
        return context.arena.text(timestamp_text(value));
    case Kind::duration:
        return context.arena.text(duration_text(value));
    default:
        return failure(no_overload);
    }
}

Value to_bytes(Arguments arguments, Context&) {
    const auto& value = arguments[0];
    if (!value.is(Kind::string) && !value.is(Kind::bytes)) return failure(no_overload);
    return of_text(value.view(), Kind::bytes);
}

Value to_bool(Arguments arguments, Context&) {
    const auto& value = arguments[0];
    if (value.is(Kind::boolean)) return value;
    if (!value.is(Kind::string)) return failure(no_overload);
    auto text = value.view();
    for (auto yes : {"1", "t", "true", "TRUE", "True"})
        if (text == yes) return of_bool(true);
    for (auto no : {"0", "f", "false", "FALSE", "False"})
        if (text == no) return of_bool(false);
    return failure(not_convertible);
}

constexpr Function conversions[] = {
    {"size", false, 1, 1, size},        {"size", true, 1, 1, size},
    {"type", false, 1, 1, type},        {"dyn", false, 1, 1, dyn},
    {"int", false, 1, 1, to_int},       {"uint", false, 1, 1, to_uint},
    {"double", false, 1, 1, to_double}, {"string", false, 1, 1, to_string},
    {"bytes", false, 1, 1, to_bytes},   {"bool", false, 1, 1, to_bool},
};

} // namespace

std::span<const Function> conversion_functions() {
    return conversions;
}

} // namespace foxwedge::rule
