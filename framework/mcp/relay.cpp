#include "mcp/relay.hpp"

#include <thread>

namespace foxwedge::mcp {
namespace {

/// Looks without any work after which nobody looks until there is some again.
constexpr int looks_before_dozing = 50;

} // namespace

void Relay::run(const std::function<bool()>& loop) {
    const std::jthread other([&] { take_turns(loop, false); });
    take_turns(loop, true);
}

void Relay::take_turns(const std::function<bool()>& loop, bool mine) {
    while (mine || watch()) {
        if (loop()) {
            std::lock_guard lock(mutex_);
            over_ = true;
            woken_.notify_all();
            return;
        }
        mine = false;
    }
}

/// Until this thread has the loop (true) or the loop is over.
bool Relay::watch() {
    std::unique_lock lock(mutex_);
    std::uint64_t seen = turn_;
    for (int idle = 0; !over_;) {
        woken_.wait_for(lock, patience_);
        std::uint64_t now = turn_;
        const bool busy = now % 2 == 1;
        if (busy && now == seen && turn_.compare_exchange_strong(now, now + 1)) return true;
        idle = now == seen ? idle + 1 : 0;
        seen = now;
        if (idle < looks_before_dozing || over_) continue;
        dozing_ = true;
        // Work that began before `dozing_` could be seen is looked at, not slept through.
        if (turn_ == now) woken_.wait(lock, [&] { return !dozing_ || over_; });
        dozing_ = false;
        idle = 0;
    }
    return false;
}

void Relay::wake() {
    std::lock_guard lock(mutex_);
    dozing_ = false;
    woken_.notify_all();
}

} // namespace foxwedge::mcp
