#include "journal/suspend.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>

namespace foxwedge::journal {
namespace {

// Signal handlers belong to the process, so this state does too: guards under way, or `stopping`.
constexpr int stopping = -1;
std::atomic<int> guards{0};
std::atomic<bool> wanted{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

/// Stops the process unless a guard is under way. Safe in a signal handler.
void stop_if_free() {
    int none = 0;
    if (!guards.compare_exchange_strong(none, stopping)) return;
    if (wanted.exchange(false)) {
        raise(SIGSTOP); // returns when the process is continued
    }
    guards.store(0);
    guards.notify_all();
}

void on_tstp(int) {
    const int saved = errno;
    wanted = true;
    stop_if_free();
    errno = saved;
}

} // namespace

void make_suspend_wait_for_commits() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction now {};
        if (sigaction(SIGTSTP, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
        struct sigaction ours {};
        ours.sa_handler = on_tstp;
        ours.sa_flags = SA_RESTART;
        sigaction(SIGTSTP, &ours, nullptr);
    });
}

SuspendGuard::SuspendGuard() {
    int seen = guards.load();
    while (true) {
        if (seen == stopping) {
            guards.wait(stopping);
            seen = guards.load();
        } else if (guards.compare_exchange_weak(seen, seen + 1)) {
            return;
        }
    }
}

SuspendGuard::~SuspendGuard() {
    if (guards.fetch_sub(1) == 1 && wanted.load()) stop_if_free();
}

} // namespace foxwedge::journal
