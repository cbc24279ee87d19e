#include "run/pool.hpp"

#include <pthread.h>

#include <chrono>

namespace foxwedge::run {
namespace {
constexpr std::size_t stack_bytes = 1u << 20;
constexpr std::chrono::seconds idle_for{5};
} // namespace

Pool::~Pool() {
    std::unique_lock lock(mutex_);
    closing_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return threads_ == 0; });
}

bool Pool::run(std::function<void()> task) {
    std::unique_lock lock(mutex_);
    if (idle_ > tasks_.size()) {
        tasks_.push_back(std::move(task));
        changed_.notify_one();
        return true;
    }
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    tasks_.push_back(std::move(task));
    ++threads_;
    pthread_t thread;
    const bool made = pthread_create(&thread, &attributes, &Pool::work, this) == 0;
    pthread_attr_destroy(&attributes);
    if (!made) {
        --threads_;
        tasks_.pop_back();
    }
    return made;
}

void* Pool::work(void* self) {
    static_cast<Pool*>(self)->loop();
    return nullptr;
}

void Pool::loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
        if (tasks_.empty()) {
            ++idle_;
            const bool woken =
                changed_.wait_for(lock, idle_for, [&] { return closing_ || !tasks_.empty(); });
            --idle_;
            if (tasks_.empty() && (closing_ || !woken)) break;
            if (tasks_.empty()) continue;
        }
        auto task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task();
        task = nullptr; // what it holds is let go before the thread counts as idle
        lock.lock();
    }
    --threads_;
    changed_.notify_all(); // under the lock: the pool is gone right after the last one
}

} // namespace foxwedge::run
