// Threads for runs: as many as are needed at a time, kept for reuse, with small stacks.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include <pthread.h>

namespace foxwedge::journal {

class Workers {
public:
    Workers() = default;
    ~Workers() { join(); }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Runs `job` on a thread of its own at once. Runs it here if no thread can be made.
    void start(std::function<void()> job);
    /// Returns when all jobs have ended. Afterwards nothing can be started.
    void join();

private:
    static void* main(void*);
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> jobs_;
    std::size_t idle_ = 0;
    bool ending_ = false;
    std::vector<pthread_t> threads_;
};

} // namespace foxwedge::journal
