// Threads for handlers: one per request under way, kept for a while for the next one.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

namespace foxwedge::http {

/// Any thread. Work never waits for other work: where no thread is idle another one starts.
/// Destroying the crew waits for all.
class Crew {
public:
    Crew() = default;
    ~Crew() {
        std::unique_lock lock(mutex_);
        ending_ = true;
        work_.notify_all();
        ended_.wait(lock, [&] { return done_.size() == threads_.size(); });
        reap();
    }
    void run(std::function<void()> work) {
        std::lock_guard lock(mutex_);
        reap();
        queue_.push_back(std::move(work));
        if (idle_ >= queue_.size()) return work_.notify_one();
        threads_.emplace_back();
        const auto me = std::prev(threads_.end());
        *me = std::thread([this, me] { serve(me); });
    }

private:
    using Thread = std::list<std::thread>::iterator;
    static constexpr std::size_t most_idle = 8;
    static constexpr std::chrono::seconds patience{10};

    void serve(Thread me) {
        std::unique_lock lock(mutex_);
        while (await_work(lock)) {
            auto work = std::move(queue_.front());
            queue_.pop_front();
            lock.unlock();
            work();
            work = nullptr; // what it holds may end the response
            lock.lock();
        }
        done_.push_back(me);
        ended_.notify_all();
    }
    /// False: this thread is not needed any more.
    bool await_work(std::unique_lock<std::mutex>& lock) {
        if (!queue_.empty()) return true;
        if (ending_ || idle_ >= most_idle) return false;
        ++idle_;
        work_.wait_for(lock, patience, [&] { return !queue_.empty() || ending_; });
        --idle_;
        return !queue_.empty();
    }
    void reap() {
        for (const auto& thread : std::exchange(done_, {})) {
            thread->join();
            threads_.erase(thread);
        }
    }
    std::mutex mutex_;
    std::condition_variable work_, ended_;
    std::deque<std::function<void()>> queue_;
    std::size_t idle_ = 0;
    bool ending_ = false;
    std::list<std::thread> threads_;
    std::list<Thread> done_;
};

} // namespace foxwedge::http
