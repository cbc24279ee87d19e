#include "schema/format.hpp"

namespace foxwedge::schema::format {
namespace {

/// A cursor over a text of fixed parts.
struct Cursor {
    std::string_view rest;

    bool number(std::size_t digits, int least, int most, int& value) {
        if (rest.size() < digits) return false;
        value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            if (rest[i] < '0' || rest[i] > '9') return false;
            value = value * 10 + (rest[i] - '0');
        }
        rest.remove_prefix(digits);
        return value >= least && value <= most;
    }
    bool one_of(std::string_view characters) {
        if (rest.empty() || characters.find(rest[0]) == std::string_view::npos) return false;
        rest.remove_prefix(1);
        return true;
    }
    bool digits() {
        std::size_t count = 0;
        while (count < rest.size() && rest[count] >= '0' && rest[count] <= '9') ++count;
        rest.remove_prefix(count);
        return count != 0;
    }
};

bool full_date(Cursor& at) {
    int year = 0;
    int month = 0;
    int day = 0;
    if (!at.number(4, 0, 9999, year) || !at.one_of("-") || !at.number(2, 1, 12, month) ||
        !at.one_of("-") || !at.number(2, 1, 31, day))
        return false;
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    int days = month == 2                                              ? (leap ? 29 : 28)
               : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                       : 31;
    return day <= days;
}

bool full_time(Cursor& at) {
    int hour = 0;
    int minute = 0;
    int second = 0;
    int zone_hour = 0;
    int zone_minute = 0;
    if (!at.number(2, 0, 23, hour) || !at.one_of(":") || !at.number(2, 0, 59, minute) ||
        !at.one_of(":") || !at.number(2, 0, 60, second))
        return false;
    if (at.one_of(".") && !at.digits()) return false;
    if (!at.one_of("Zz")) {
        if (at.rest.empty()) return false;
        int sign = at.rest[0] == '-' ? -1 : 1;
        if (!at.one_of("+-") || !at.number(2, 0, 23, zone_hour) || !at.one_of(":") ||
            !at.number(2, 0, 59, zone_minute))
            return false;
        zone_hour *= sign;
        zone_minute *= sign;
    }
    if (second < 60) return true;
    // A leap second ends a day of UTC, whatever the local time.
    constexpr int day = 24 * 60;
    int utc = hour * 60 + minute - zone_hour * 60 - zone_minute;
    return (utc + 2 * day) % day == day - 1;
}

} // namespace

bool date(std::string_view text) {
    Cursor at{text};
    return full_date(at) && at.rest.empty();
}

bool time(std::string_view text) {
    Cursor at{text};
    return full_time(at) && at.rest.empty();
}

bool date_time(std::string_view text) {
    Cursor at{text};
    return full_date(at) && at.one_of("Tt") && full_time(at) && at.rest.empty();
}

/// RFC 3339, appendix A: units in order without gaps, or weeks alone.
bool duration(std::string_view text) {
    Cursor at{text};
    if (!at.one_of("P") || at.rest.empty()) return false;
    if (at.rest.back() == 'W') return at.digits() && at.one_of("W") && at.rest.empty();
    auto units = [&at](std::string_view names) {
        std::size_t next = std::string_view::npos;
        while (!at.rest.empty() && at.rest[0] != 'T') {
            if (!at.digits() || at.rest.empty()) return false;
            auto unit = names.find(at.rest[0]);
            if (unit == std::string_view::npos) return false;
            if (next != std::string_view::npos && unit != next) return false;
            next = unit + 1;
            at.rest.remove_prefix(1);
        }
        return true;
    };
    if (!units("YMD")) return false;
    if (at.rest.empty()) return true;
    return at.one_of("T") && !at.rest.empty() && units("HMS") && at.rest.empty();
}

} // namespace foxwedge::schema::format
