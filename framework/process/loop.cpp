#include "process/loop.hpp"

#include <cerrno>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace foxwedge::process {

using Moment = std::chrono::steady_clock::time_point;

struct Loop::State {
    const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
    const int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    std::mutex mutex;
    std::unordered_map<int, std::shared_ptr<Callback>> watched;
    std::multimap<Moment, Callback> timers;
    std::thread thread;
    bool ending = false;

    ~State() {
        ::close(epoll);
        ::close(wake);
    }
    void start() { // with the mutex held
        if (thread.joinable() || ending) return;
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = wake;
        ::epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event);
        thread = std::thread([this] { run(); });
    }
    void nudge() {
        const std::uint64_t one = 1;
        (void)!::write(wake, &one, sizeof one);
    }
    int milliseconds_to_next() { // with the mutex held
        if (timers.empty()) return -1;
        const auto left = timers.begin()->first - std::chrono::steady_clock::now();
        if (left <= left.zero()) return 0;
        // Rounded up: waking early would only spin.
        return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
    }
    void run();
    void run_timers(std::unique_lock<std::mutex>&);
};

Loop::Loop() : state_(std::make_unique<State>()) {}

Loop::~Loop() {
    {
        std::lock_guard lock(state_->mutex);
        state_->ending = true;
        state_->nudge();
    }
    if (state_->thread.joinable()) state_->thread.join();
}

void Loop::watch(int fd, Callback ready, bool also_write) {
    auto next = std::make_shared<Callback>(std::move(ready));
    std::lock_guard lock(state_->mutex);
    epoll_event event{};
    event.events = EPOLLIN | (also_write ? EPOLLOUT : 0u);
    event.data.fd = fd;
    const bool known = state_->watched.count(fd) != 0;
    std::swap(state_->watched[fd], next); // the old one is destroyed outside the lock, as below
    ::epoll_ctl(state_->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
    state_->start();
}

void Loop::unwatch(int fd) {
    std::shared_ptr<Callback> last; // destroyed outside the lock: it may own what calls us back.
    std::lock_guard lock(state_->mutex);
    if (const auto found = state_->watched.find(fd); found != state_->watched.end()) {
        ::epoll_ctl(state_->epoll, EPOLL_CTL_DEL, fd, nullptr);
        last = std::move(found->second);
        state_->watched.erase(found);
    }
}

void Loop::after(std::chrono::milliseconds delay, Callback due) {
    std::lock_guard lock(state_->mutex);
    const auto when = std::chrono::steady_clock::now() + delay;
    const bool first = state_->timers.empty() || when < state_->timers.begin()->first;
    state_->timers.emplace(when, std::move(due));
    state_->start();
    if (first) state_->nudge();
}

void Loop::State::run_timers(std::unique_lock<std::mutex>& lock) {
    const auto now = std::chrono::steady_clock::now();
    while (!ending && !timers.empty() && timers.begin()->first <= now) {
        Callback due = std::move(timers.begin()->second);
        timers.erase(timers.begin());
        lock.unlock();
        due();
        due = nullptr;
        lock.lock();
    }
}

void Loop::State::run() {
    epoll_event events[16];
    std::unique_lock lock(mutex);
    while (!ending) {
        const int timeout = milliseconds_to_next();
        lock.unlock();
        const int count = ::epoll_wait(epoll, events, 16, timeout);
        lock.lock();
        for (int i = 0; i < count && !ending; ++i) {
            const int fd = events[i].data.fd;
            if (fd == wake) {
                std::uint64_t drained;
                (void)!::read(wake, &drained, sizeof drained);
                continue;
            }
            const auto found = watched.find(fd);
            if (found == watched.end()) continue;
            auto ready = found->second; // keeps it alive if it unwatches itself
            lock.unlock();
            (*ready)();
            ready.reset();
            lock.lock();
        }
        run_timers(lock);
    }
}

} // namespace foxwedge::process
