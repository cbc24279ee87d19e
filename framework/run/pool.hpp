// Threads for the branches of fan-outs: as many as are needed at once, kept for a while, with small
// stacks of which only touched pages cost.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace foxwedge::run {

class Pool {
public:
    Pool() = default;
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    /// Waits for all tasks.
    ~Pool();

    /// Runs `task` on a thread of its own at once; it must not throw. False if the system has no
    /// thread to give: run it yourself. Any thread.
    bool run(std::function<void()> task);

private:
    static void* work(void*);
    void loop();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    std::size_t idle_ = 0, threads_ = 0;
    bool closing_ = false;
};

} // namespace foxwedge::run
