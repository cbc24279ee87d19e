#include "base/clock.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <limits>

namespace foxwedge {
namespace {

class SystemClock final : public Clock {
public:
    Time now() const override {
        return std::chrono::floor<Millis>(std::chrono::system_clock::now());
    }
    std::chrono::steady_clock::time_point steady() const override {
        return std::chrono::steady_clock::now();
    }
};

struct Unit {
    std::string_view name;
    std::int64_t millis;
};
constexpr std::array<Unit, 5> units{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

std::string two_parts(std::int64_t large, const char* large_name, std::int64_t small,
                      const char* small_name) {
    auto text = std::to_string(large) + " " + large_name;
    if (small != 0) text += " " + std::to_string(small) + " " + small_name;
    return text;
}

} // namespace

const Clock& system_clock() {
    static const SystemClock clock;
    return clock;
}

std::string to_text(Time time) {
    auto day = std::chrono::floor<std::chrono::days>(time);
    std::chrono::year_month_day date(day);
    auto in_day = (time - day).count();
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                  static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()), static_cast<int>(in_day / 3'600'000),
                  static_cast<int>(in_day / 60'000 % 60), static_cast<int>(in_day / 1000 % 60),
                  static_cast<int>(in_day % 1000));
    return text.data();
}

Result<Millis> parse_duration(std::string_view text) {
    std::int64_t count = 0;
    auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), count);
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (status == std::errc{} && count >= 0 && text.front() != '-')
        for (const auto& [name, millis] : units)
            if (unit == name && count <= std::numeric_limits<std::int64_t>::max() / millis)
                return Millis(count * millis);
    return permanent("invalid_duration", "\"" + std::string(text.substr(0, 40)) +
                                             "\" is no duration; write a whole number and a unit: "
                                             "\"500ms\", \"30s\", \"10m\", \"2h\", \"7d\"");
}

std::string to_duration_text(Millis span) {
    if (span.count() == 0) return "0s";
    for (const auto& [name, millis] : units)
        if (span.count() % millis == 0)
            return std::to_string(span.count() / millis) + std::string(name);
    return {};
}

std::string to_human_text(Millis span) {
    auto count = span.count();
    if (count < 0) return "-" + to_human_text(-span);
    if (count < 1'000) return std::to_string(count) + " ms";
    if (count < 60'000) {
        auto tenths = count / 100;
        auto text = std::to_string(tenths / 10);
        if (tenths % 10 != 0) text += "." + std::to_string(tenths % 10);
        return text + " s";
    }
    auto seconds = count / 1'000;
    if (seconds < 3'600) return two_parts(seconds / 60, "min", seconds % 60, "s");
    if (seconds < 86'400) return two_parts(seconds / 3'600, "h", seconds / 60 % 60, "min");
    return two_parts(seconds / 86'400, "d", seconds / 3'600 % 24, "h");
}

} // namespace foxwedge
