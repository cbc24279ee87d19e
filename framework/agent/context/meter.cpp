#include "agent/context/meter.hpp"

#include <algorithm>
#include <cmath>

namespace foxwedge::agent {

void Meter::counted(const Usage& usage, std::int64_t estimated_exchanges) {
    const std::int64_t real = usage.input + usage.cache_read + usage.cache_write;
    const std::int64_t estimated = constant_ + estimated_exchanges;
    if (usage.estimated || real <= 0 || estimated <= 0) return;
    // A count far from any text's is more likely a provider's mistake than ours.
    factor_ = std::clamp(static_cast<double>(real) / static_cast<double>(estimated), 0.25, 4.0);
}

std::int64_t Meter::used(std::int64_t estimated_exchanges) const {
    return std::llround(static_cast<double>(constant_ + estimated_exchanges) * factor_);
}

} // namespace foxwedge::agent
