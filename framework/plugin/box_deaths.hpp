// What follows when a plugin's box dies: when it is started again, and whether calls still go side
// by side. Pure: is told the time.
#pragma once
#include <chrono>
#include <deque>

#include "base/clock.hpp"

namespace foxwedge::plugin {

class BoxDeaths {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    void died(TimePoint now);
    /// The first new box comes at once; the more died within a minute, the longer the next waits.
    Millis delay(TimePoint now);
    /// After three deaths within a minute one call at a time goes to a box, so that the next death
    /// shows which one is to blame.
    bool one_at_a_time(TimePoint now);

private:
    std::size_t recent(TimePoint now);

    std::deque<TimePoint> deaths_;
};

} // namespace foxwedge::plugin
