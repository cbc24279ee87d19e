// Two threads for one loop that must not stand still: while one is held up by its work, the other
// goes on with the loop.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

namespace foxwedge::mcp {

/// Handing each piece of work to another thread costs two task switches. Here the thread that has
/// the loop does the work itself, and only where that takes longer than `patience` the other thread
/// takes the loop over. Work that is done by then costs two atomic operations.
class Relay {
public:
    explicit Relay(std::chrono::microseconds patience = std::chrono::milliseconds(2))
        : patience_(patience) {}

    /// Calls `loop` here or on a thread of its own, never on both but for what `work` holds up.
    /// Returns once a call of `loop` has given true and no work is left; `loop` gives false where
    /// `work` did.
    void run(const std::function<bool()>& loop);

    /// Within the loop, and by nobody else: does `piece`. False where it took too long: the loop
    /// has been called again on the other thread meanwhile, and the caller has to leave it.
    template <class Piece>
    bool work(Piece&& piece) {
        const std::uint64_t busy = turn_.load(std::memory_order_relaxed) + 1;
        turn_.store(busy);
        if (dozing_.load()) wake();
        std::forward<Piece>(piece)();
        auto mine = busy;
        return turn_.compare_exchange_strong(mine, busy + 1);
    }

private:
    void take_turns(const std::function<bool()>& loop, bool mine);
    bool watch();
    void wake();

    const std::chrono::microseconds patience_;
    /// Counts beginnings and ends of work: odd while there is some. Whoever makes it even again has
    /// the loop.
    std::atomic<std::uint64_t> turn_{0};
    std::atomic<bool> dozing_{false}; ///< nobody watches: there was no work for a while
    std::mutex mutex_;
    std::condition_variable woken_;
    bool over_ = false;
};

} // namespace foxwedge::mcp
