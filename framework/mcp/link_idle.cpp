// While nobody waits, the watching thread reads: servers ping, announce, and die between calls. It
// starts only after some quiet, so that calls in a row never pay for it.
#include "mcp/pending.hpp"

namespace foxwedge::mcp {

void StdioLink::watch_when_idle() {
    if (watched_ || watch_planned_ || dead_) return;
    watch_planned_ = true;
    seen_used_ = used_;
    loop_.after(setup_.limits.idle_watch, [weak = weak_from_this()] {
        if (const auto link = weak.lock()) link->idle_check();
    });
}

void StdioLink::idle_check() {
    std::lock_guard lock(mutex_);
    watch_planned_ = false;
    if (dead_ || watched_) return;
    bool waiting = leading_;
    for (const auto& [id, pending] : pending_) waiting = waiting || pending->waiting;
    // Whoever waits now calls watch_when_idle at his end.
    if (waiting) return;
    if (seen_used_ != used_) return watch_when_idle();
    watched_ = true;
    loop_.watch(child_->out(), [weak = weak_from_this()] {
        if (const auto link = weak.lock()) link->idle_ready();
    });
}

void StdioLink::idle_ready() {
    Lock lock(mutex_);
    bool wanted = leading_ || dead_;
    for (const auto& [id, pending] : pending_) wanted = wanted || pending->waiting;
    if (wanted) { // A caller reads again.
        watched_ = false;
        loop_.unwatch(child_->out());
        return;
    }
    lead(lock, 0);
    if (!backlog_.empty()) flush();
    hand_over();
}

} // namespace foxwedge::mcp
