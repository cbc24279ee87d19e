// Time comes in through this door, so that tests and replays own it.
#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace foxwedge {

using Millis = std::chrono::milliseconds;
/// Wall time as recorded: milliseconds since 1970-01-01T00:00Z.
using Time = std::chrono::sys_time<Millis>;

class Clock {
public:
    virtual ~Clock() = default;
    virtual Time now() const = 0;
    /// For durations inside this process only; never recorded.
    virtual std::chrono::steady_clock::time_point steady() const = 0;
};
/// The machine's clock; lives for ever. Any thread.
const Clock& system_clock();

/// "2026-11-29T22:50:00.123Z" (RFC 3339, UTC).
std::string to_text(Time);
/// "500ms", "30s", "10m", "2h", "7d" (the config's and the approval rules' form).
Result<Millis> parse_duration(std::string_view);
/// The shortest exact form of the same.
std::string to_duration_text(Millis);
/// For people: "1.2 s", "3 min 20 s", "2 d 4 h".
std::string to_human_text(Millis);

} // namespace foxwedge
