#include <array>
#include <cmath>
#include <cstdint>

#include "base/json_number.hpp"
#include "schema/program.hpp"

namespace foxwedge::schema {
namespace {

using boost::json::kind;
__extension__ using Wide = unsigned __int128;

constexpr double two_63 = 9223372036854775808.0;
constexpr double two_64 = 18446744073709551616.0;

bool less(std::int64_t a, double b) noexcept {
    if (b >= two_63) return true;
    if (b < -two_63) return false;
    auto floor = std::floor(b);
    auto whole = static_cast<std::int64_t>(floor);
    return a < whole || (a == whole && floor < b);
}
bool less(double a, std::int64_t b) noexcept {
    if (a >= two_63) return false;
    if (a < -two_63) return true;
    auto ceiling = std::ceil(a);
    if (ceiling >= two_63) return false;
    auto whole = static_cast<std::int64_t>(ceiling);
    return whole < b || (whole == b && a < ceiling);
}
bool less(std::uint64_t a, double b) noexcept {
    if (b >= two_64) return true;
    if (b <= 0) return false;
    auto floor = std::floor(b);
    auto whole = static_cast<std::uint64_t>(floor);
    return a < whole || (a == whole && floor < b);
}
bool less(double a, std::uint64_t b) noexcept {
    if (a < 0) return true;
    if (a >= two_64) return false;
    auto ceiling = std::ceil(a);
    if (ceiling >= two_64) return false;
    auto whole = static_cast<std::uint64_t>(ceiling);
    return whole < b || (whole == b && a < ceiling);
}

/// A positive number as digits × 10^exponent, exactly as it would be written.
struct Decimal {
    std::uint64_t digits = 0;
    int exponent = 0;
};

Decimal decimal(double value) noexcept {
    char text[number::text_room];
    auto* end = number::write(text, std::fabs(value), false);
    Decimal decimal;
    bool fraction = false;
    for (char* at = text; at != end; ++at) {
        if (*at == '.') {
            fraction = true;
        } else if (*at == 'e') {
            bool negative = at[1] == '-';
            int exponent = 0;
            for (at += 2; at != end; ++at) exponent = exponent * 10 + (*at - '0');
            decimal.exponent += negative ? -exponent : exponent;
            break;
        } else if (*at == '0' && !fraction && decimal.digits > 99'999'999'999'999'999U) {
            ++decimal.exponent; // zeros of a long whole number
        } else {
            decimal.digits = decimal.digits * 10 + static_cast<unsigned>(*at - '0');
            if (fraction) --decimal.exponent;
        }
    }
    return decimal;
}

Decimal decimal(const Json& value) noexcept {
    if (value.is_uint64()) return {value.get_uint64(), 0};
    if (value.is_int64()) {
        auto signed_value = value.get_int64();
        auto bits = static_cast<std::uint64_t>(signed_value);
        return {signed_value < 0 ? 0 - bits : bits, 0};
    }
    return decimal(value.get_double());
}

std::uint64_t power_of_ten(int exponent, std::uint64_t modulus) noexcept {
    Wide result = 1 % modulus;
    Wide base = 10 % modulus;
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1) result = result * base % modulus;
        base = base * base % modulus;
    }
    return static_cast<std::uint64_t>(result);
}

} // namespace

bool less_of_any_kind(const Json& a, const Json& b) noexcept {
    constexpr std::int64_t exact = 1LL << 53;
    auto small = [](std::int64_t value) { return value < exact && value > -exact; };
    if (a.is_double() && b.is_int64() && small(b.get_int64()))
        return a.get_double() < static_cast<double>(b.get_int64());
    if (a.is_int64() && b.is_double() && small(a.get_int64()))
        return static_cast<double>(a.get_int64()) < b.get_double();
    auto order = [](auto x, auto y) {
        using X = decltype(x);
        using Y = decltype(y);
        if constexpr (std::is_same_v<X, Y>)
            return x < y;
        else if constexpr (std::is_same_v<X, std::int64_t> && std::is_same_v<Y, std::uint64_t>)
            return x < 0 || static_cast<std::uint64_t>(x) < y;
        else if constexpr (std::is_same_v<X, std::uint64_t> && std::is_same_v<Y, std::int64_t>)
            return y >= 0 && x < static_cast<std::uint64_t>(y);
        else
            return less(x, y);
    };
    auto second = [&](auto x) {
        switch (b.kind()) {
        case kind::int64:
            return order(x, b.get_int64());
        case kind::uint64:
            return order(x, b.get_uint64());
        default:
            return order(x, b.get_double());
        }
    };
    switch (a.kind()) {
    case kind::int64:
        return second(a.get_int64());
    case kind::uint64:
        return second(a.get_uint64());
    default:
        return second(a.get_double());
    }
}

bool is_multiple(const Json& value, const Json& divisor) noexcept {
    if (value.is_int64() && divisor.is_int64() && divisor.get_int64() > 0)
        return value.get_int64() % divisor.get_int64() == 0;
    if (divisor.is_double() && value.is_double()) {
        // A power of two divides binary fractions as it divides the decimals they print as.
        int exponent = 0;
        if (std::frexp(divisor.get_double(), &exponent) == 0.5)
            return std::fmod(value.get_double(), divisor.get_double()) == 0;
    }
    auto a = decimal(value);
    auto b = decimal(divisor);
    if (a.digits == 0) return true;
    if (b.digits == 0) return false;
    int shift = a.exponent - b.exponent;
    if (shift >= 0)
        return static_cast<Wide>(a.digits % b.digits) * power_of_ten(shift, b.digits) % b.digits ==
               0;
    // a / (b × 10^-shift): more than 19 zeros exceed any a.
    if (shift < -19) return false;
    Wide scaled = b.digits;
    for (; shift < 0; ++shift) scaled *= 10;
    return static_cast<Wide>(a.digits) % scaled == 0;
}

} // namespace foxwedge::schema
