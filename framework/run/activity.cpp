#include "run/activity.hpp"

#include "run/fan.hpp"

namespace foxwedge::run {

bool Activity::idle() {
    if (at_work_ > 0 || parking_) return false;
    std::vector<journal::Wait> all;
    for (const auto& waiter : waiters_)
        all.insert(all.end(), waiter.waits.begin(), waiter.waits.end());
    const auto waited =
        std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - last_wait_);
    if (hold_(all, waited)) return false;
    parking_ = true;
    return true;
}

void Activity::park(std::unique_lock<std::mutex>& lock) {
    std::vector<std::stop_source> wakes;
    for (auto& waiter : waiters_) wakes.push_back(waiter.wake);
    lock.unlock();
    park_();
    // Outside the lock: a stop callback of the engine takes the engine's lock.
    for (auto& wake : wakes) wake.request_stop();
}

Activity::Ticket Activity::wait(std::vector<journal::Wait> waits, const Fan* fan) {
    std::unique_lock lock(mutex_);
    const auto ticket = waiters_.insert(waiters_.end(), {std::move(waits), fan, {}, false});
    if (fan && fan->failed()) { // after abandon() has passed by
        ticket->counted = true;
        ticket->wake.request_stop();
        return ticket;
    }
    --at_work_;
    last_wait_ = std::chrono::steady_clock::now();
    if (parking_)
        ticket->wake.request_stop();
    else if (idle())
        park(lock);
    return ticket;
}

std::vector<journal::Wait> Activity::leave(Ticket ticket) {
    const std::lock_guard lock(mutex_);
    if (!ticket->counted) ++at_work_;
    auto waits = std::move(ticket->waits);
    waiters_.erase(ticket);
    return waits;
}

void Activity::begin() {
    const std::lock_guard lock(mutex_);
    ++at_work_;
}

void Activity::end() {
    std::unique_lock lock(mutex_);
    --at_work_;
    if (idle()) park(lock);
}

void Activity::look_again() {
    std::unique_lock lock(mutex_);
    if (idle()) park(lock);
}

void Activity::stop() {
    std::vector<std::stop_source> wakes;
    {
        const std::lock_guard lock(mutex_);
        parking_ = true; // whoever waits from here on is told at once
        for (auto& waiter : waiters_) wakes.push_back(waiter.wake);
    }
    for (auto& wake : wakes) wake.request_stop();
}

void Activity::abandon(const Fan& fan) {
    std::vector<std::stop_source> wakes;
    {
        const std::lock_guard lock(mutex_);
        for (auto& waiter : waiters_) {
            if (waiter.counted || !waiter.fan || !waiter.fan->inside(fan)) continue;
            waiter.counted = true;
            ++at_work_;
            wakes.push_back(waiter.wake);
        }
    }
    for (auto& wake : wakes) wake.request_stop();
}

} // namespace foxwedge::run
