// One thread that waits for many descriptors and timers.
#pragma once
#include <chrono>
#include <functional>
#include <memory>

namespace foxwedge::process {

/// Runs short callbacks on its own thread, which starts at first use. Callbacks must not block. Any
/// thread may call; a callback may call too.
class Loop {
public:
    using Callback = std::function<void()>;

    Loop();
    /// Ends the thread; callbacks that have not run are dropped.
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    /// Calls `ready` whenever `fd` can be read, has ended or, with `also_write`, can be written,
    /// until unwatch. Replaces an earlier watch of `fd`.
    void watch(int fd, Callback ready, bool also_write = false);
    /// Must come before `fd` is closed. A callback that is just running may still finish.
    void unwatch(int fd);
    /// Calls `due` once, after `delay`.
    void after(std::chrono::milliseconds delay, Callback due);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace foxwedge::process
