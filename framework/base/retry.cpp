#include "base/retry.hpp"

#include <algorithm>
#include <cmath>

namespace foxwedge {
namespace {

constexpr Millis longest_wish{300'000};

bool may_repeat(Certainty certainty, Repeat repeat) {
    switch (certainty) {
    case Certainty::not_done:
        return true;
    case Certainty::done_with_error:
        return repeat == Repeat::always;
    case Certainty::unknown:
        return repeat != Repeat::once;
    case Certainty::permanent:
        return false;
    }
    return false;
}

} // namespace

std::optional<Millis> next_delay(const RetryPolicy& policy, const Error& error, int made,
                                 Repeat repeat, double chance) {
    if (made >= policy.max_attempts || !may_repeat(error.certainty, repeat)) return std::nullopt;
    const double grown = static_cast<double>(policy.initial_delay.count()) *
                         std::pow(policy.factor, std::max(0, made - 1));
    const double capped = std::min(grown, static_cast<double>(policy.max_delay.count()));
    const double spread = capped * (1 + policy.jitter * (2 * chance - 1));
    const Millis own{static_cast<Millis::rep>(spread)};
    return std::max(own, std::min(error.retry_after, longest_wish));
}

} // namespace foxwedge
