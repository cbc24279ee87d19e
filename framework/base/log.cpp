#include "base/log.hpp"

#include "base/json.hpp"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace foxwedge {
namespace {

spdlog::level::level_enum level_of(LogLevel level) {
    switch (level) {
    case LogLevel::error:
        return spdlog::level::err;
    case LogLevel::warn:
        return spdlog::level::warn;
    case LogLevel::info:
        return spdlog::level::info;
    case LogLevel::debug:
        return spdlog::level::debug;
    }
    return spdlog::level::info;
}

bool is_plain(std::string_view value) {
    if (value.empty()) return false;
    for (char c : value)
        if (static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '=' || c == '\x7f')
            return false;
    return true;
}

class StderrLog final : public Log {
public:
    StderrLog(LogLevel least, Masker masker)
        : masker_(std::move(masker)),
          logger_("foxwedge", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
        logger_.set_formatter(std::make_unique<spdlog::pattern_formatter>(
            "%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc));
        logger_.set_level(level_of(least));
        logger_.flush_on(spdlog::level::warn);
    }

    void write(LogLevel level, std::string_view part, std::string_view what,
               std::initializer_list<LogField> fields) override {
        if (!logger_.should_log(level_of(level))) return;
        std::string line(part);
        line.append(": ").append(what);
        for (const auto& [key, value] : fields) {
            line.append(" ").append(key).append("=");
            // Masked before it is quoted: escapes would hide a secret from the search.
            auto shown = masker_.masked(value);
            if (is_plain(shown))
                line += shown;
            else
                append_quoted(line, shown);
        }
        logger_.log(level_of(level), spdlog::string_view_t(line.data(), line.size()));
    }

private:
    Masker masker_;
    spdlog::logger logger_;
};

class SilentLog final : public Log {
public:
    void write(LogLevel, std::string_view, std::string_view,
               std::initializer_list<LogField>) override {}
};

} // namespace

std::unique_ptr<Log> make_stderr_log(LogLevel least, Masker masker) {
    return std::make_unique<StderrLog>(least, std::move(masker));
}

Log& silent_log() {
    static SilentLog log;
    return log;
}

} // namespace foxwedge
