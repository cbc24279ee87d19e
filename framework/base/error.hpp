// What went wrong, as a value: every layer reports failures with this one type.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace foxwedge {

/// What is known about the effect of something that did not succeed. Decides whether it may be
/// repeated (docs/journal-format, "Failure classes").
enum class Certainty : std::uint8_t {
    permanent, ///< repeating it as it is cannot help: bad credentials, a bug, a refused request
    not_done,  ///< refused before any effect: rate limited, no connection
    done_with_error, ///< the other side did its work and answered no
    unknown,         ///< it may or may not have happened: timeout, connection or child lost
};

/// The wire name of a class ("permanent", "not_done", "done_with_error", "unknown").
const char* to_string(Certainty) noexcept;

struct Error {
    std::string code;    ///< stable word for programs, lower_snake_case: "journal_full"
    std::string message; ///< a sentence for people: where, what was expected, what to do
    Certainty certainty = Certainty::permanent;
    std::chrono::milliseconds retry_after{0}; ///< the other side's own wish; 0: none
    std::string details;                      ///< a JSON object, or empty; formats: docs/plugins
};

inline Error permanent(std::string code, std::string message, std::string details = {}) {
    return {std::move(code), std::move(message), Certainty::permanent, {}, std::move(details)};
}
inline Error not_done(std::string code, std::string message,
                      std::chrono::milliseconds retry_after = {}) {
    return {std::move(code), std::move(message), Certainty::not_done, retry_after, {}};
}
inline Error unknown_outcome(std::string code, std::string message) {
    return {std::move(code), std::move(message), Certainty::unknown, {}, {}};
}

} // namespace foxwedge
