// Who of one run is at work and who waits. While anything is under way waiting lanes wait in place;
// once all wait, the run is either held (something comes soon, or the host was told to stay) or
// parked, and then every waiting lane unwinds.
#pragma once
#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <stop_token>
#include <vector>

#include "journal/engine.hpp"

namespace foxwedge::run {

class Fan;

class Activity {
public:
    /// `hold` decides over all waits of the run, the last of which is that old; `park` is told
    /// once, from the thread that noticed.
    using Hold = std::function<bool(const std::vector<journal::Wait>&, Millis waited)>;
    Activity(Hold hold, std::function<void()> park)
        : hold_(std::move(hold)), park_(std::move(park)) {}

    struct Waiter {
        std::vector<journal::Wait> waits;
        const Fan* fan = nullptr; ///< the innermost fan-out it is in
        std::stop_source wake;    ///< requested: the run parks, or the fan-out has failed
        bool counted = false;     ///< at work again already
    };
    using Ticket = std::list<Waiter>::iterator;

    Ticket wait(std::vector<journal::Wait> waits, const Fan* fan);
    /// The waits come back to be parked on.
    std::vector<journal::Wait> leave(Ticket);

    void begin(); ///< one more lane at work
    void end();   ///< one fewer; parks the run if that was the last
    /// What a held run waits for may have come to a stop: parks it then.
    void look_again();
    /// Lanes that wait inside `fan` are to unwind: they count as at work from here on.
    void abandon(const Fan& fan);
    /// The run ends for another reason than parking: every waiting lane is to unwind.
    void stop();

private:
    bool idle(); ///< with the lock; true: park now
    void park(std::unique_lock<std::mutex>&);

    Hold hold_;
    std::function<void()> park_;
    std::mutex mutex_;
    std::list<Waiter> waiters_;
    int at_work_ = 1; ///< the root lane
    std::chrono::steady_clock::time_point last_wait_{};
    bool parking_ = false;
};

} // namespace foxwedge::run
