#include "plugin/box_deaths.hpp"

#include <algorithm>

namespace foxwedge::plugin {
namespace {

constexpr std::chrono::minutes remembered{1};
constexpr std::size_t suspicious = 3;
constexpr Millis first_delay{100}, longest_delay{5'000};

} // namespace

std::size_t BoxDeaths::recent(TimePoint now) {
    while (!deaths_.empty() && now - deaths_.front() >= remembered) deaths_.pop_front();
    return deaths_.size();
}

void BoxDeaths::died(TimePoint now) {
    deaths_.push_back(now);
}

Millis BoxDeaths::delay(TimePoint now) {
    const auto count = recent(now);
    if (count <= 1) return Millis(0);
    const auto doublings = std::min<std::size_t>(count - 2, 10);
    return std::min(longest_delay, first_delay * (1 << doublings));
}

bool BoxDeaths::one_at_a_time(TimePoint now) {
    return recent(now) >= suspicious;
}

} // namespace foxwedge::plugin
