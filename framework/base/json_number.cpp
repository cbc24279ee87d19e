#include "base/json_number.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace foxwedge::number {
namespace {

bool digit(const char* at, const char* end) noexcept {
    return at != end && static_cast<unsigned char>(*at - '0') < 10;
}

/// True if the literal's magnitude is below every double's: it rounds to zero.
bool vanishes(const char* at, const char* end) noexcept {
    long scale = 0; // of the first digit that is not 0
    bool fraction = false;
    bool seen = false;
    for (; at != end && *at != 'e' && *at != 'E'; ++at) {
        if (*at == '.')
            fraction = true;
        else if (*at != '-' && *at != '0')
            seen = true;
        if (*at == '.' || *at == '-') continue;
        if (fraction && !seen)
            --scale;
        else if (!fraction && seen)
            ++scale;
    }
    if (!seen) return true;
    if (at == end) return scale < 0;
    ++at;
    bool negative = *at == '-';
    if (*at == '-' || *at == '+') ++at;
    long exponent = 0;
    for (; at != end; ++at)
        if (exponent < 100'000'000) exponent = exponent * 10 + (*at - '0');
    return scale + (negative ? -exponent : exponent) < 0;
}

/// A whole number below 2^53 divided by a power of ten below 10^22: both are exact as doubles, so
/// that the quotient is the nearest one. Nearly all that people write.
constexpr std::ptrdiff_t most_exact_digits = 15;
constexpr double exact_powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

Literal real(const char* from, const char* to) noexcept {
    Literal literal;
    literal.end = to;
    literal.kind = Literal::Kind::real;
    literal.d = 0;
    auto status = std::from_chars(from, to, literal.d);
    if (status.ec == std::errc{} && std::isfinite(literal.d)) return literal;
    if (vanishes(from, to))
        literal.d = *from == '-' ? -0.0 : 0.0;
    else
        literal.kind = Literal::Kind::too_large;
    return literal;
}

/// Prices, shares and whole numbers: a few decimals, found without the search for the shortest
/// form. Up to 15 digits that read back as the value are the shortest. Null if there are none.
char* write_short(char* out, double value) noexcept {
    constexpr double most = 1e9;
    if (value >= most || value < 1e-3) return nullptr;
    for (int decimals = 0; decimals <= 6; ++decimals) {
        auto scaled = value * exact_powers[decimals];
        auto whole = static_cast<std::uint64_t>(scaled + 0.5);
        if (static_cast<double>(whole) / exact_powers[decimals] != value) continue;
        if (decimals == 0) return std::to_chars(out, out + text_room, whole).ptr;
        auto unit = static_cast<std::uint64_t>(exact_powers[decimals]);
        out = std::to_chars(out, out + text_room, whole / unit).ptr;
        *out++ = '.';
        auto fraction = whole % unit;
        for (int i = decimals - 1; i >= 0; --i, fraction /= 10)
            out[i] = static_cast<char>('0' + fraction % 10);
        return out + decimals;
    }
    return nullptr;
}

} // namespace

Literal read(const char* at, const char* end) noexcept {
    const char* from = at;
    bool negative = at != end && *at == '-';
    if (negative) ++at;
    if (!digit(at, end)) return {};
    std::uint64_t whole = 0;
    const char* digits = at;
    if (*at == '0') {
        ++at;
        if (digit(at, end)) return {};
    } else {
        while (digit(at, end)) whole = whole * 10 + static_cast<unsigned char>(*at++ - '0');
    }
    auto count = at - digits;
    std::ptrdiff_t decimals = 0;
    auto mantissa = whole;
    bool has_exponent = false;
    if (at != end && *at == '.') {
        const char* fraction = ++at;
        if (!digit(at, end)) return {};
        while (digit(at, end)) mantissa = mantissa * 10 + static_cast<unsigned char>(*at++ - '0');
        decimals = at - fraction;
    }
    if (at != end && (*at == 'e' || *at == 'E')) {
        has_exponent = true;
        if (++at != end && (*at == '+' || *at == '-')) ++at;
        if (!digit(at, end)) return {};
        while (digit(at, end)) ++at;
    }
    if (decimals == 0 && !has_exponent) {
        Literal literal;
        literal.end = at;
        if (count == 20) { // `whole` may have wrapped around
            auto status = std::from_chars(digits, at, whole);
            if (status.ec != std::errc{}) return real(from, at);
        } else if (count > 20) {
            return real(from, at);
        }
        constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        if (negative) {
            // "-0" stays a double: no integer has that sign.
            if (whole == 0 || whole > limit + 1) return real(from, at);
            literal.kind = Literal::Kind::int64;
            literal.i = static_cast<std::int64_t>(-whole);
        } else if (whole <= limit) {
            literal.kind = Literal::Kind::int64;
            literal.i = static_cast<std::int64_t>(whole);
        } else {
            literal.kind = Literal::Kind::uint64;
            literal.u = whole;
        }
        return literal;
    }
    if (!has_exponent && count + decimals <= most_exact_digits) {
        Literal literal;
        literal.end = at;
        literal.kind = Literal::Kind::real;
        literal.d = static_cast<double>(mantissa) / exact_powers[decimals];
        if (negative) literal.d = -literal.d;
        return literal;
    }
    return real(from, at);
}

char* write(char* out, double value, bool keep_kind) noexcept {
    if (std::signbit(value)) {
        value = -value;
        if (value != 0 || keep_kind) *out++ = '-';
    }
    if (value == 0) {
        *out++ = '0';
        return out;
    }
    if (auto* end = write_short(out, value)) return end;
    // The shortest digits and the place of the point; then laid out as Number::toString does.
    char shortest[text_room];
    auto end =
        std::to_chars(shortest, shortest + sizeof shortest, value, std::chars_format::scientific)
            .ptr;
    char digits[text_room];
    int count = 0;
    const char* at = shortest;
    for (; *at != 'e'; ++at)
        if (*at != '.') digits[count++] = *at;
    int exponent = 0;
    std::from_chars(at[1] == '+' ? at + 2 : at + 1, end, exponent);
    int point = exponent + 1;
    auto put = [&](int from, int to) {
        std::memcpy(out, digits + from, static_cast<std::size_t>(to - from));
        out += to - from;
    };
    auto zeros = [&](int n) {
        std::memset(out, '0', static_cast<std::size_t>(n));
        out += n;
    };
    if (count <= point && point <= 21) {
        put(0, count);
        zeros(point - count);
        constexpr double exact =
            9007199254740992.0; // beyond it an integer literal is another value
        if (keep_kind && value >= exact) {
            *out++ = '.';
            *out++ = '0';
        }
    } else if (0 < point && point <= 21) {
        put(0, point);
        *out++ = '.';
        put(point, count);
    } else if (-6 < point && point <= 0) {
        *out++ = '0';
        *out++ = '.';
        zeros(-point);
        put(0, count);
    } else {
        put(0, 1);
        if (count > 1) {
            *out++ = '.';
            put(1, count);
        }
        *out++ = 'e';
        *out++ = exponent < 0 ? '-' : '+';
        out = std::to_chars(out, out + 5, exponent < 0 ? -exponent : exponent).ptr;
    }
    return out;
}

} // namespace foxwedge::number
