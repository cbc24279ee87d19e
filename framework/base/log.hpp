// The log: facts with fields, once, never content or secrets. The only door to spdlog.
#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "base/secret.hpp"

namespace foxwedge {

enum class LogLevel { error, warn, info, debug };

struct LogField {
    std::string_view key;
    std::string value;
};

/// Where facts go. Each host has its own: no global logger. Any thread.
class Log {
public:
    virtual ~Log() = default;
    /// `what` is constant words ("server restarted"); what varies goes into fields.
    virtual void write(LogLevel, std::string_view part, std::string_view what,
                       std::initializer_list<LogField> fields = {}) = 0;

    void error(std::string_view part, std::string_view what,
               std::initializer_list<LogField> fields = {}) {
        write(LogLevel::error, part, what, fields);
    }
    void warn(std::string_view part, std::string_view what,
              std::initializer_list<LogField> fields = {}) {
        write(LogLevel::warn, part, what, fields);
    }
    void info(std::string_view part, std::string_view what,
              std::initializer_list<LogField> fields = {}) {
        write(LogLevel::info, part, what, fields);
    }
    void debug(std::string_view part, std::string_view what,
               std::initializer_list<LogField> fields = {}) {
        write(LogLevel::debug, part, what, fields);
    }
};

/// A log on stderr, masked, from `least` on.
std::unique_ptr<Log> make_stderr_log(LogLevel least, Masker = {});
/// Drops everything; lives for ever.
Log& silent_log();

} // namespace foxwedge
