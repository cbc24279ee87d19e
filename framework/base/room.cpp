#include "base/room.hpp"

#include <csignal>
#include <cstddef>
#include <cstdio>

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

namespace foxwedge {
namespace {

constexpr std::size_t roomy = 8u << 20; ///< what systems mostly give

/// What goes to the thread.
struct RoomyWork {
    const std::function<int()>& main;
    sigset_t mask{};
    int exit = 0;
};

void* run_roomy(void* given) {
    auto& work = *static_cast<RoomyWork*>(given);
    pthread_sigmask(SIG_SETMASK, &work.mask, nullptr);
    work.exit = work.main();
    return nullptr;
}

} // namespace

int with_roomy_stack(const std::function<int()>& main) {
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= roomy) return main();
    RoomyWork work{main};
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &work.mask);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, roomy);
    pthread_setattr_default_np(&attributes);
    pthread_t thread{};
    const int failed = pthread_create(&thread, &attributes, run_roomy, &work);
    pthread_attr_destroy(&attributes);
    if (failed != 0) {
        std::fputs("there is no room for a stack of 8 MiB; raise `ulimit -v`\n", stderr);
        return 7;
    }
    pthread_join(thread, nullptr);
    return work.exit;
}

void give_large_memory_back() {
#ifdef M_MMAP_THRESHOLD
    constexpr int large = 1 << 20, kept = 2 << 20;
    mallopt(M_MMAP_THRESHOLD, large);
    mallopt(M_TRIM_THRESHOLD, kept);
#endif
}

} // namespace foxwedge
