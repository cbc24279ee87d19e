// One fan-out while it runs: its branches, how many bodies may run at once, and the join.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "run/lane.hpp"

namespace foxwedge::run {

/// Of one branch; shared by the lanes inside it, which are on one thread.
struct FanSlot {
    bool exclusive = false;
    bool held = false;
    bool arrived = true; ///< false: its first intent is awaited for the common commit
};

class Fan {
public:
    /// `opened`: for each branch its gate, where that is on record already. `joined`: the lane
    /// went past this fan-out on record, so that nothing new may start in it.
    Fan(Lane& parent, const FanOut& spec, std::uint32_t index, std::vector<OpenedGate> opened,
        bool joined);
    Fan(const Fan&) = delete;
    Fan& operator=(const Fan&) = delete;

    /// Returns when every branch has settled or unwound. True: the parent is to unwind.
    bool run();
    std::vector<Result<Json>> results();

    /// A branch of this or of a fan-out around it has failed for good.
    bool failed() const;
    bool inside(const Fan& other) const;

    void leave_slot(FanSlot&);
    /// False: the fan-out failed meanwhile, the lane is to unwind.
    bool enter_slot(FanSlot&);

    /// Commits a branch's first intent together with its siblings', later ones by itself.
    journal::Committed intend(FanSlot&, const journal::Intent&);
    void arrive(FanSlot&);

private:
    struct State {
        FanSlot slot;
        std::optional<Result<Json>> result; ///< none: unwound or never started
        bool unwound = false;
    };

    void work(std::size_t branch);
    void ended(std::size_t branch);
    bool slot_free(bool exclusive) const;
    void take_slot(FanSlot&);
    void pump(); ///< with the lock: starts what has a slot
    void dispatch(std::size_t branch);
    void arrived(FanSlot&); ///< with the lock

    Lane& parent_;
    Execution& run_;
    const Fan* const up_;
    const FanOut& spec_;
    const std::uint32_t index_;
    const std::vector<OpenedGate> opened_;
    const bool joined_;
    std::vector<State> states_;
    std::atomic<bool> failed_{false};

    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t remaining_, next_ = 0;
    std::deque<std::size_t> without_thread_; ///< the system gave none: the parent runs them
    int running_ = 0;
    bool exclusive_ = false;
    std::deque<FanSlot*> entering_; ///< first come, first served

    // The common commit of first intents.
    int awaited_ = 0;
    std::vector<journal::Intent> intents_;
    bool committing_ = false;
    std::optional<journal::Committed> committed_;
};

} // namespace foxwedge::run
