#include "journal/workers.hpp"

namespace foxwedge::journal {
namespace {
constexpr std::size_t stack_bytes = 1 << 20;
}

void Workers::start(std::function<void()> job) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
        if (idle_ >= jobs_.size()) {
            changed_.notify_one();
            return;
        }
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, stack_bytes);
        pthread_t thread{};
        const int failed = pthread_create(&thread, &attributes, main, this);
        pthread_attr_destroy(&attributes);
        if (failed == 0) {
            threads_.push_back(thread);
            return;
        }
        job = std::move(jobs_.back());
        jobs_.pop_back();
    }
    job();
}

void* Workers::main(void* self) {
    static_cast<Workers*>(self)->work();
    return nullptr;
}

void Workers::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        ++idle_;
        changed_.wait(lock, [&] { return !jobs_.empty() || ending_; });
        --idle_;
        if (jobs_.empty()) return;
        auto job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        job();
        job = nullptr; // what it holds goes without the lock
        lock.lock();
    }
}

void Workers::join() {
    std::vector<pthread_t> threads;
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        threads.swap(threads_);
        changed_.notify_all();
    }
    for (const pthread_t t : threads) pthread_join(t, nullptr);
}

} // namespace foxwedge::journal
