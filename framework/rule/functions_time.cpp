// Timestamps and durations. Named time zones are not known: their tables change under a replay.
#include <array>
#include <chrono>
#include <cstdio>

#include "rule/functions.hpp"

namespace foxwedge::rule {
namespace {

using namespace std::chrono;

constexpr std::int64_t first_second = -62135596800;      // 0001-01-01T00:00:00Z
constexpr std::int64_t last_second = 253402300799;       // 9999-12-31T23:59:59Z
constexpr std::int64_t longest_duration = 9'223'372'036; // seconds; 64 bits of nanoseconds
constexpr std::int32_t billion = 1'000'000'000;
constexpr const char* time_out_of_range = "the time is out of range";

/// Reads `digits` digits.
bool number(std::string_view& text, std::size_t digits, int& value) {
    if (text.size() < digits) return false;
    value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
        if (text[i] < '0' || text[i] > '9') return false;
        value = value * 10 + (text[i] - '0');
    }
    text.remove_prefix(digits);
    return true;
}

bool sign(std::string_view& text, std::string_view allowed) {
    if (text.empty() || allowed.find(text[0]) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

/// Digits behind a point as billionths; more than nine are cut.
std::int32_t fraction(std::string_view& text) {
    std::int32_t nanos = 0;
    std::int32_t unit = billion / 10;
    while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
        nanos += (text[0] - '0') * unit;
        unit /= 10;
        text.remove_prefix(1);
    }
    return nanos;
}

/// Seconds east of UTC of "+02:00", "02:00", "-01:30", "UTC"; false for anything else.
bool zone(std::string_view text, std::int64_t& seconds) {
    if (text == "UTC" || text == "Z") return seconds = 0, true;
    std::int64_t direction = text.starts_with('-') ? -1 : 1;
    sign(text, "+-");
    int hours = 0;
    int minutes = 0;
    if (!number(text, 2, hours) || !sign(text, ":") || !number(text, 2, minutes) || !text.empty())
        return false;
    seconds = direction * (hours * 3600 + minutes * 60);
    return hours < 24 && minutes < 60;
}

Value checked(Kind kind, std::int64_t seconds, std::int64_t nanos) {
    auto carry = nanos / billion;
    seconds += carry;
    nanos -= carry * billion;
    if (kind == Kind::timestamp) {
        if (nanos < 0) {
            --seconds;
            nanos += billion;
        }
        if (seconds < first_second || seconds > last_second) return failure(time_out_of_range);
    } else {
        if (seconds > 0 && nanos < 0) --seconds, nanos += billion;
        if (seconds < 0 && nanos > 0) ++seconds, nanos -= billion;
        if (seconds > longest_duration || seconds < -longest_duration)
            return failure(time_out_of_range);
    }
    return of_time(kind, seconds, static_cast<std::int32_t>(nanos));
}

struct Parts {
    year_month_day date;
    std::int64_t day_of_week;
    std::int64_t day_of_year;
    std::int64_t second_of_day;
};

Parts parts_of(std::int64_t seconds) {
    auto time = sys_seconds(std::chrono::seconds(seconds));
    auto day = floor<days>(time);
    year_month_day date(day);
    auto new_year = sys_days(date.year() / January / 1);
    return {date, weekday(day).c_encoding(), (day - new_year).count(), (time - day).count()};
}

enum class Part { year, month, date, day, week_day, year_day, hours, minutes, seconds, millis };

template <Part part>
Value get(Arguments arguments, Context&) {
    const auto& value = arguments[0];
    if (value.is(Kind::duration) && arguments.size() == 1) {
        switch (part) {
        case Part::hours:
            return of_int(value.integer / 3600);
        case Part::minutes:
            return of_int(value.integer / 60);
        case Part::seconds:
            return of_int(value.integer);
        case Part::millis:
            return of_int(value.nanos / 1'000'000);
        default:
            return failure(no_overload);
        }
    }
    if (!value.is(Kind::timestamp)) return failure(no_overload);
    std::int64_t east = 0;
    if (arguments.size() > 1 &&
        (!arguments[1].is(Kind::string) || !zone(arguments[1].view(), east)))
        return failure("a time zone must be \"UTC\" or an offset like \"+02:00\"");
    auto parts = parts_of(value.integer + east);
    auto month = static_cast<std::int64_t>(static_cast<unsigned>(parts.date.month()));
    auto day = static_cast<std::int64_t>(static_cast<unsigned>(parts.date.day()));
    switch (part) {
    case Part::year:
        return of_int(static_cast<int>(parts.date.year()));
    case Part::month:
        return of_int(month - 1);
    case Part::date:
        return of_int(day);
    case Part::day:
        return of_int(day - 1);
    case Part::week_day:
        return of_int(parts.day_of_week);
    case Part::year_day:
        return of_int(parts.day_of_year);
    case Part::hours:
        return of_int(parts.second_of_day / 3600);
    case Part::minutes:
        return of_int(parts.second_of_day / 60 % 60);
    case Part::seconds:
        return of_int(parts.second_of_day % 60);
    case Part::millis:
        return of_int(value.nanos / 1'000'000);
    }
    return failure(no_overload);
}

Value timestamp(Arguments arguments, Context&) {
    const auto& value = arguments[0];
    if (value.is(Kind::timestamp)) return value;
    if (value.is(Kind::integer)) return checked(Kind::timestamp, value.integer, 0);
    return value.is(Kind::string) ? parse_timestamp(value.view()) : failure(no_overload);
}

Value duration(Arguments arguments, Context&) {
    const auto& value = arguments[0];
    if (value.is(Kind::duration)) return value;
    return value.is(Kind::string) ? parse_duration_text(value.view()) : failure(no_overload);
}

/// ".5", ".000000001", or nothing.
std::string fraction_text(std::int32_t nanos) {
    if (nanos == 0) return {};
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), ".%09d", nanos);
    std::string digits = text.data();
    digits.erase(digits.find_last_not_of('0') + 1);
    return digits;
}

constexpr Function time_table[] = {
    {"timestamp", false, 1, 1, timestamp},
    {"duration", false, 1, 1, duration},
    {"getFullYear", true, 1, 2, get<Part::year>},
    {"getMonth", true, 1, 2, get<Part::month>},
    {"getDate", true, 1, 2, get<Part::date>},
    {"getDayOfMonth", true, 1, 2, get<Part::day>},
    {"getDayOfWeek", true, 1, 2, get<Part::week_day>},
    {"getDayOfYear", true, 1, 2, get<Part::year_day>},
    {"getHours", true, 1, 2, get<Part::hours>},
    {"getMinutes", true, 1, 2, get<Part::minutes>},
    {"getSeconds", true, 1, 2, get<Part::seconds>},
    {"getMilliseconds", true, 1, 2, get<Part::millis>},
};

} // namespace

std::span<const Function> time_functions() {
    return time_table;
}

Value parse_timestamp(std::string_view text) {
    auto refused = failure("the text is no RFC 3339 timestamp");
    int y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0;
    if (!number(text, 4, y) || !sign(text, "-") || !number(text, 2, mo) || !sign(text, "-") ||
        !number(text, 2, d) || !sign(text, "Tt") || !number(text, 2, h) || !sign(text, ":") ||
        !number(text, 2, mi) || !sign(text, ":") || !number(text, 2, s))
        return refused;
    auto nanos = sign(text, ".") ? fraction(text) : 0;
    std::int64_t east = 0;
    if (text == "z") text = "Z";
    if (!zone(text, east) || text == "UTC" || (text[0] != 'Z' && text[0] != '+' && text[0] != '-'))
        return refused;
    year_month_day date{year(y), month(static_cast<unsigned>(mo)), day(static_cast<unsigned>(d))};
    if (!date.ok() || h > 23 || mi > 59 || s > 59) return refused;
    auto seconds = sys_seconds(sys_days(date)).time_since_epoch().count();
    return checked(Kind::timestamp, seconds + h * 3600 + mi * 60 + s - east, nanos);
}

Value parse_duration_text(std::string_view text) {
    auto refused = failure("the text is no duration like \"1h30m\" or \"1.5s\"");
    std::int64_t direction = text.starts_with('-') ? -1 : 1;
    sign(text, "+-");
    if (text == "0") return of_time(Kind::duration, 0, 0);
    if (text.empty()) return refused;
    long double total =
        0; // in billionths of a second: 64 bits of mantissa hold the longest exactly
    while (!text.empty()) {
        std::size_t count = 0;
        long double amount = 0;
        for (; count < text.size() && text[count] >= '0' && text[count] <= '9'; ++count)
            amount = amount * 10 + (text[count] - '0');
        text.remove_prefix(count);
        std::int32_t nanos = 0;
        if (sign(text, ".")) {
            auto before = text.size();
            nanos = fraction(text);
            count += before - text.size();
        }
        if (count == 0) return refused;
        struct Unit {
            std::string_view name;
            long double nanos;
        };
        constexpr std::array units{Unit{"h", 3600e9L}, Unit{"ms", 1e6L}, Unit{"m", 60e9L},
                                   Unit{"s", 1e9L},    Unit{"us", 1e3L}, Unit{"\u00b5s", 1e3L},
                                   Unit{"ns", 1.0L}};
        bool known = false;
        for (const auto& unit : units) {
            if (!text.starts_with(unit.name)) continue;
            text.remove_prefix(unit.name.size());
            total += (amount + nanos / 1e9L) * unit.nanos;
            known = true;
            break;
        }
        if (!known) return refused;
    }
    if (total > static_cast<long double>(longest_duration) * 1e9L)
        return failure(time_out_of_range);
    auto seconds = static_cast<std::int64_t>(total / 1e9L);
    auto rest = static_cast<std::int64_t>(total - static_cast<long double>(seconds) * 1e9L);
    return checked(Kind::duration, direction * seconds, direction * rest);
}

std::string timestamp_text(const Value& value) {
    auto parts = parts_of(value.integer);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d",
                  static_cast<int>(parts.date.year()), static_cast<unsigned>(parts.date.month()),
                  static_cast<unsigned>(parts.date.day()),
                  static_cast<int>(parts.second_of_day / 3600),
                  static_cast<int>(parts.second_of_day / 60 % 60),
                  static_cast<int>(parts.second_of_day % 60));
    return text.data() + fraction_text(value.nanos) + "Z";
}

std::string duration_text(const Value& value) {
    bool negative = value.integer < 0 || value.nanos < 0;
    auto seconds = value.integer < 0 ? -value.integer : value.integer;
    auto nanos = value.nanos < 0 ? -value.nanos : value.nanos;
    return (negative ? "-" : "") + std::to_string(seconds) + fraction_text(nanos) + "s";
}

Value add_times(const Value& a, const Value& b) {
    if (a.is(Kind::timestamp) && b.is(Kind::timestamp)) return failure(no_overload);
    auto kind = a.is(Kind::duration) && b.is(Kind::duration) ? Kind::duration : Kind::timestamp;
    return checked(kind, a.integer + b.integer, std::int64_t{a.nanos} + b.nanos);
}

Value subtract_times(const Value& a, const Value& b) {
    if (a.is(Kind::duration) && b.is(Kind::timestamp)) return failure(no_overload);
    auto kind = a.kind == b.kind ? Kind::duration : Kind::timestamp;
    return checked(kind, a.integer - b.integer, std::int64_t{a.nanos} - b.nanos);
}

} // namespace foxwedge::rule
