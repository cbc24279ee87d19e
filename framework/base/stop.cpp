#include "base/stop.hpp"

#include <algorithm>

namespace foxwedge {

using Steady = std::chrono::steady_clock;

std::optional<std::chrono::milliseconds> Until::left() const {
    if (!deadline) return std::nullopt;
    // Rounded up: a caller that waits this long must find the deadline passed, not spin before it.
    auto rest = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Steady::now());
    return std::max(rest, std::chrono::milliseconds(0));
}

Until Until::within(std::chrono::milliseconds span) const {
    auto now = Steady::now();
    auto longest = std::chrono::floor<std::chrono::milliseconds>(Steady::time_point::max() - now);
    if (span > longest) return *this;
    auto end = now + span;
    return {stop, deadline ? std::min(*deadline, end) : end};
}

} // namespace foxwedge
