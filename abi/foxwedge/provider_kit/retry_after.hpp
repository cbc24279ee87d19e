// How long a provider asks us to wait: Retry-After in all the shapes it comes in.
#pragma once
#include <charconv>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "../json.hpp"

namespace provider_kit {

constexpr std::int64_t longest_wait_ms = 300'000;

/// "Wed, 21 Oct 2026 07:28:00 GMT" in seconds since 1970.
inline std::optional<std::int64_t> parse_http_date(std::string_view text) {
    std::tm tm{};
    const std::string copy(text);
    for (const char* form :
         {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"}) {
        tm = {};
        const char* end = strptime(copy.c_str(), form, &tm);
        if (end && *end == '\0') return static_cast<std::int64_t>(timegm(&tm));
    }
    return {};
}

/// A whole text as a number of at least 0; 1.5 is one too.
inline std::optional<double> parse_seconds(std::string_view text) {
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(seconds))
        return {};
    return seconds;
}

/// Milliseconds to wait, from 0 to 300 s; nothing if the headers do not say or cannot be read, as
/// when two of them disagree. A date counts from the response's own Date, so that clocks need not
/// agree, else from `now` (seconds since 1970). `headers`: names in lower case.
inline std::optional<std::int64_t> retry_after_ms(const foxwedge::plugin::Value& headers,
                                                  std::int64_t now) {
    const auto within = [](double ms) -> std::optional<std::int64_t> {
        if (ms < 0) return {};
        return ms > double(longest_wait_ms) ? longest_wait_ms : static_cast<std::int64_t>(ms);
    };
    if (const auto ms = parse_seconds(headers.string("retry-after-ms"))) return within(*ms);
    const auto text = headers.string("retry-after");
    if (const auto seconds = parse_seconds(text)) return within(*seconds * 1000);
    if (const auto date = parse_http_date(text)) {
        const auto from = parse_http_date(headers.string("date")).value_or(now);
        return within(*date <= from ? 0.0 : double(*date - from) * 1000);
    }
    return {};
}

} // namespace provider_kit
