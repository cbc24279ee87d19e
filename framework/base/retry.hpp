// How often and when something is tried again. Pure: decides, never sleeps.
#pragma once
#include <optional>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace foxwedge {

struct RetryPolicy {
    int max_attempts = 5; ///< the first one included; 1: never again
    Millis initial_delay{500};
    double factor = 2;
    Millis max_delay{10'000};
    double jitter = 0.1; ///< share of the delay, added or taken away

    bool operator==(const RetryPolicy&) const = default;
};

/// What repeating means for a step's effect.
enum class Repeat : unsigned char {
    always,          ///< no effect, or harmless twice: every class but `permanent` is repeated
    unless_answered, ///< as `once`, but an unknown outcome may be repeated too
    once,            ///< only what was certainly not done is repeated
};

/// The delay before attempt `made + 1`, or nothing if there is to be none. `chance` in [0, 1)
/// spreads the delay; `error.retry_after` counts up to 300 s and outranks max_delay.
std::optional<Millis> next_delay(const RetryPolicy&, const Error&, int made, Repeat, double chance);

} // namespace foxwedge
