// Threads for handlers: one per request under way, joined when they are done.
#pragma once
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

namespace foxwedge::http {

/// Any thread. Destroying it waits for all.
class Crew {
public:
    Crew() = default;
    ~Crew() {
        std::unique_lock lock(mutex_);
        ended_.wait(lock, [&] { return done_.size() == threads_.size(); });
        reap();
    }
    void run(std::function<void()> work) {
        std::lock_guard lock(mutex_);
        reap();
        threads_.emplace_back();
        const auto me = std::prev(threads_.end());
        *me = std::thread([this, me, work = std::move(work)]() mutable {
            work();
            work = nullptr; // what it holds may end the response
            std::lock_guard inner(mutex_);
            done_.push_back(me);
            ended_.notify_all();
        });
    }

private:
    void reap() {
        for (const auto& thread : std::exchange(done_, {})) {
            thread->join();
            threads_.erase(thread);
        }
    }
    std::mutex mutex_;
    std::condition_variable ended_;
    std::list<std::thread> threads_;
    std::list<std::list<std::thread>::iterator> done_;
};

} // namespace foxwedge::http
