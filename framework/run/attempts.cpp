#include "run/attempts.hpp"

#include "base/loss.hpp"
#include "base/text.hpp"

namespace foxwedge::run {

Next after_attempt(const StepOptions& options, const Error& error, int made, double chance) {
    Repeat repeat = options.repeat;
    if (error.certainty == Certainty::unknown) {
        if (options.on_interrupted == OnInterrupted::ask) return {Next::Do::ask, {}};
        if (options.on_interrupted == OnInterrupted::fail) return {Next::Do::fail, {}};
        // `retry` was said on purpose for a `once` step: it outranks the effect.
        if (repeat == Repeat::once) repeat = Repeat::unless_answered;
    }
    const auto delay = next_delay(options.retry, error, made, repeat, chance);
    return delay ? Next{Next::Do::again, *delay} : Next{Next::Do::fail, {}};
}

bool is_counted(const Error& error) {
    return error.code != blameless_loss;
}

double fixed_chance(std::string_view step_key, int attempt) {
    const Digest digest = sha256(step_key, std::to_string(attempt));
    std::uint32_t bits = 0;
    for (int i = 0; i < 4; ++i) bits = bits << 8 | digest[static_cast<std::size_t>(i)];
    return static_cast<double>(bits) / 4294967296.0;
}

Error with_timeout(Error error, bool overdue, std::string_view step) {
    const bool cut_short = error.certainty == Certainty::unknown || error.code == "cancelled" ||
                           error.code == "timeout";
    if (!overdue || !cut_short) return error;
    Error late = unknown_outcome("timeout", "step \"" + std::string(step) +
                                                "\" did not end in its time: " + error.message);
    late.details = std::move(error.details);
    return late;
}

Error recordable(Error error) {
    constexpr std::size_t code_limit = 100, message_limit = 16 << 10, details_limit = 64 << 10;
    const auto limit = [](std::string& text, std::size_t most) {
        if (!is_utf8(text)) text = to_utf8(text);
        if (text.size() > most) text = std::string(first_bytes(text, most)) + "…";
    };
    limit(error.code, code_limit);
    limit(error.message, message_limit);
    // A part of a JSON text is none.
    if (error.details.size() > details_limit || !is_utf8(error.details)) error.details.clear();
    return error;
}

Error made_by_origin(std::string_view step) {
    return unknown_outcome("made_before", "the run that this one was forked from has made the call "
                                          "of step \"" +
                                              std::string(step) + "\" already");
}

Error host_death(std::string_view step) {
    return unknown_outcome("interrupted", "the host died while step \"" + std::string(step) +
                                              "\" ran; whether it took effect is not known");
}

} // namespace foxwedge::run
