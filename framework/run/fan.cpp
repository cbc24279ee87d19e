#include "run/fan.hpp"

#include <algorithm>

namespace foxwedge::run {

Fan::Fan(Lane& parent, const FanOut& spec, std::uint32_t index, std::vector<OpenedGate> opened,
         bool joined)
    : parent_(parent), run_(parent.run_), up_(parent.fan_), spec_(spec), index_(index),
      opened_(std::move(opened)), joined_(joined), states_(spec.branches.size()),
      remaining_(spec.branches.size()) {
    for (std::size_t b = 0; b < states_.size(); ++b)
        states_[b].slot.exclusive = spec.branches[b].exclusive;
}

bool Fan::inside(const Fan& other) const {
    for (const Fan* fan = this; fan; fan = fan->up_)
        if (fan == &other) return true;
    return false;
}

bool Fan::failed() const {
    for (const Fan* fan = this; fan; fan = fan->up_)
        if (fan->failed_) return true;
    return false;
}

bool Fan::run() {
    if (joined_ || run_.replay_only()) {
        for (std::size_t b = 0; b < states_.size(); ++b) work(b);
    } else if (!states_.empty()) {
        std::vector<std::size_t> first;
        {
            const std::lock_guard lock(mutex_);
            // Gates hold nobody up: who waits for one takes no slot.
            for (std::size_t b = 0; b < states_.size(); ++b)
                if (spec_.branches[b].gate) first.push_back(b);
            for (; next_ < states_.size(); ++next_) {
                if (spec_.branches[next_].gate) continue;
                auto& slot = states_[next_].slot;
                if (!slot_free(slot.exclusive)) break;
                take_slot(slot);
                slot.arrived = false;
                ++awaited_;
                first.push_back(next_);
            }
            for (std::size_t i = 0; i + 1 < first.size(); ++i) dispatch(first[i]);
        }
        // The parent's thread would only wait: it takes one branch, with the parent's own turn.
        work(first.back());
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return remaining_ == 0 || !without_thread_.empty(); });
            if (without_thread_.empty()) break;
            const auto branch = without_thread_.front();
            without_thread_.pop_front();
            lock.unlock();
            work(branch);
            lock.lock();
        }
    }
    if (failed_) return false;
    return !joined_ &&
           std::any_of(states_.begin(), states_.end(), [](const State& s) { return !s.result; });
}

std::vector<Result<Json>> Fan::results() {
    std::vector<Result<Json>> all;
    all.reserve(states_.size());
    for (auto& state : states_) {
        if (state.result)
            all.push_back(std::move(*state.result));
        else
            all.push_back(permanent("cancelled", "not finished: another branch failed"));
    }
    return all;
}

void Fan::work(std::size_t branch) {
    auto& state = states_[branch];
    const auto& spec = spec_.branches[branch];
    Lane lane(run_, lane_below(parent_.path_, index_, static_cast<std::uint32_t>(branch)), this,
              &state.slot, joined_ || run_.replay_only());
    std::optional<Result<Json>> result;
    try {
        Result<std::string> decision = std::string();
        if (spec.gate) decision = lane.decide(*spec.gate, opened_[branch]);
        if (!decision)
            result = std::move(decision).error();
        else if (lane.closed_ || state.slot.held || enter_slot(state.slot))
            result = spec.body(lane, *decision);
        else
            lane.unwound_ = true;
        if (!lane.unwound_) lane.flush();
    } catch (const Parking&) {
        lane.unwound_ = true;
    } catch (const std::exception& e) {
        result = permanent("internal", "branch " + lane.path_ + " threw: " + e.what());
    } catch (...) {
        result = permanent("internal", "branch " + lane.path_ + " threw what is no error");
    }
    if (lane.unwound_) {
        if (result && (result->ok() || result->error().code != "parked"))
            run_.warn_swallowed(lane.path_);
        result.reset();
        state.unwound = true;
    }
    state.result = std::move(result);
    ended(branch);
}

void Fan::ended(std::size_t branch) {
    auto& state = states_[branch];
    if (state.result && !state.result->ok() && !failed_.exchange(true)) {
        const std::lock_guard lock(mutex_); // nobody waits for a slot past this
        changed_.notify_all();
    }
    if (failed_) run_.activity().abandon(*this);
    const std::lock_guard lock(mutex_);
    arrived(state.slot);
    if (joined_ || run_.replay_only()) return;
    if (state.slot.held) {
        state.slot.held = false;
        --running_;
        if (state.slot.exclusive) exclusive_ = false;
    }
    if (failed() || run_.ending()) {
        for (; next_ < states_.size(); ++next_)
            if (!spec_.branches[next_].gate) --remaining_;
    } else {
        pump();
    }
    // Before the count goes down, after which nothing of the run may be touched. The last one
    // leaves its turn to the parent.
    if (remaining_ > 1) run_.activity().end();
    --remaining_;
    changed_.notify_all();
}

bool Fan::slot_free(bool exclusive) const {
    const int most = std::max(1, std::min(spec_.at_most, run_.options().pool_threads));
    return !exclusive_ && running_ < most && (!exclusive || running_ == 0);
}

void Fan::take_slot(FanSlot& slot) {
    ++running_;
    exclusive_ = slot.exclusive;
    slot.held = true;
}

void Fan::pump() {
    for (; next_ < states_.size(); ++next_) {
        if (spec_.branches[next_].gate) continue;
        auto& slot = states_[next_].slot;
        if (!entering_.empty() || !slot_free(slot.exclusive)) return;
        take_slot(slot);
        dispatch(next_);
    }
}

void Fan::dispatch(std::size_t branch) {
    run_.activity().begin();
    if (!run_.pool().run([this, branch] { work(branch); })) {
        without_thread_.push_back(branch);
        arrived(states_[branch].slot); // siblings must not wait for it: the parent may be one
        changed_.notify_all();
    }
}

void Fan::leave_slot(FanSlot& slot) {
    const std::lock_guard lock(mutex_);
    if (!slot.held) return;
    slot.held = false;
    --running_;
    if (slot.exclusive) exclusive_ = false;
    if (!failed() && !run_.ending()) pump();
    changed_.notify_all();
}

bool Fan::enter_slot(FanSlot& slot) {
    std::unique_lock lock(mutex_);
    entering_.push_back(&slot);
    changed_.wait(lock, [&] {
        return failed() || (entering_.front() == &slot && slot_free(slot.exclusive));
    });
    entering_.erase(std::find(entering_.begin(), entering_.end(), &slot));
    const bool free = !failed();
    if (free) take_slot(slot);
    changed_.notify_all(); // the next in line may fit too
    return free;
}

void Fan::arrived(FanSlot& slot) {
    if (std::exchange(slot.arrived, true)) return;
    --awaited_;
    changed_.notify_all();
}

void Fan::arrive(FanSlot& slot) {
    if (slot.arrived) return;
    const std::lock_guard lock(mutex_);
    arrived(slot);
}

journal::Committed Fan::intend(FanSlot& slot, const journal::Intent& intent) {
    const auto commit = [&](const std::vector<journal::Intent>& intents) {
        return run_.write([&] {
            journal::Batch batch;
            batch.intents = intents;
            return batch;
        });
    };
    if (slot.arrived) return commit({intent});
    std::unique_lock lock(mutex_);
    const std::size_t mine = intents_.size();
    intents_.push_back(intent);
    arrived(slot);
    changed_.wait(lock, [&] { return committed_ || (awaited_ == 0 && !committing_); });
    if (!committed_) {
        committing_ = true;
        lock.unlock();
        auto done = commit(intents_);
        lock.lock();
        committed_ = std::move(done);
        changed_.notify_all();
    }
    return {{committed_->verdicts.at(mine)}, {}, committed_->explanation};
}

} // namespace foxwedge::run
