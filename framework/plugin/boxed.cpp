#include "plugin/boxed.hpp"

#include "base/loss.hpp"
#include "plugin/verb.hpp"

namespace foxwedge::plugin {
namespace {

using Clock = std::chrono::steady_clock;

} // namespace

Boxed::Boxed(std::shared_ptr<const BoxBuild> build, const Component& component,
             std::unique_ptr<BoxSetting> setting)
    : build_(std::move(build)), component_(component), setting_(std::move(setting)) {}

Result<std::shared_ptr<Boxed>> Boxed::make(std::shared_ptr<const BoxBuild> build,
                                           const Component& component,
                                           std::unique_ptr<BoxSetting> setting) {
    std::shared_ptr<Boxed> made(new Boxed(std::move(build), component, std::move(setting)));
    std::unique_lock lock(made->mutex_);
    FOXWEDGE_CHECK(made->start(lock));
    return made;
}

Status Boxed::start(std::unique_lock<std::mutex>& lock) {
    starting_ = true;
    auto old = std::move(box_);
    lock.unlock();
    old.reset(); // its end may take a moment
    auto started = Box::start(*setting_);
    lock.lock();
    starting_ = false;
    changed_.notify_all();
    if (!started) {
        note_death();
        return std::move(started).error();
    }
    box_ = std::move(*started);
    return {};
}

/// False if the call is to end.
bool Boxed::wait(std::unique_lock<std::mutex>& lock, const Call& call,
                 std::optional<Millis> at_most) {
    if (call.until.stopped()) return false;
    if (at_most)
        changed_.wait_for(lock, *at_most);
    else
        changed_.wait(lock);
    return !call.until.stopped();
}

Result<Boxed::Entry> Boxed::enter(const Call& call) {
    const std::stop_callback wake(call.until.stop, [this] {
        std::lock_guard held(mutex_);
        changed_.notify_all();
    });
    std::unique_lock lock(mutex_);
    for (;;) {
        const auto now = Clock::now();
        const bool alone = deaths_.one_at_a_time(now);
        const bool must_wait = starting_ || occupied_ || (alone && inside_ > 0);
        const bool usable = box_ && box_->usable();
        std::optional<Millis> pause;
        if (!must_wait && !usable)
            if (const auto left = may_start_ - now; left.count() > 0)
                pause = std::chrono::ceil<Millis>(left);
        if (must_wait || pause) {
            if (wait(lock, call, pause)) continue;
            return not_done("cancelled", "cancelled while waiting for a process of " + name());
        }
        if (!usable) {
            FOXWEDGE_CHECK(start(lock));
            continue;
        }
        ++inside_;
        occupied_ = alone;
        return Entry{box_, alone};
    }
}

void Boxed::note_death() {
    const auto now = Clock::now();
    deaths_.died(now);
    may_start_ = now + deaths_.delay(now);
}

void Boxed::leave(const Entry& entry) {
    std::lock_guard lock(mutex_);
    --inside_;
    if (entry.alone) occupied_ = false;
    // The first to come out of a dead box reports the death.
    if (entry.box == box_ && entry.box->dead()) {
        note_death();
        box_.reset();
    }
    changed_.notify_all();
}

Ended Boxed::call(const VerbRequest& request, Call& call) {
    const auto before = Clock::now();
    auto entered = enter(call);
    if (!entered) return ended_by_host(std::move(entered).error());
    // Waiting for a process counts against no deadline.
    Call own = call;
    if (own.until.deadline) *own.until.deadline += Clock::now() - before;
    struct Leaving {
        Boxed& boxed;
        const Entry& entry;
        ~Leaving() { boxed.leave(entry); }
    } const leaving{*this, *entered};
    auto end = entered->box->call(request, own);
    const bool died = end.by_host && end.said && end.said->code == blameless_loss;
    if (died && entered->alone) end.said->code = "box_crashed";
    return end;
}

std::uint32_t Boxed::placements() const {
    std::lock_guard lock(mutex_);
    return box_ ? box_->placements() : 0;
}

} // namespace foxwedge::plugin
