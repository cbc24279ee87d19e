#include "plugin/verb_threads.hpp"

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <list>
#include <mutex>
#include <pthread.h>

namespace foxwedge::plugin {
namespace {

constexpr std::size_t stack_bytes = (1 << 20) + (1 << 18); // what is promised, and what libc takes
constexpr std::chrono::seconds idle_for{5};

} // namespace

struct VerbThreads::Shared : std::enable_shared_from_this<Shared> {
    /// A thread that waits for work.
    struct Idle {
        std::condition_variable wake;
        std::function<void()> work;
        bool called = false;
    };
    std::mutex mutex;
    std::condition_variable gone;
    std::list<Idle*> idle; // the last to come is the first to go on: its stack is warm
    std::size_t waiting = 0;
    bool closed = false;

    struct Start {
        std::shared_ptr<Shared> shared;
        std::function<void()> work;
    };
    static void* main(void* argument);
    bool wait_for_work(std::function<void()>& work);
};

bool VerbThreads::Shared::wait_for_work(std::function<void()>& work) {
    Idle me;
    std::unique_lock lock(mutex);
    if (closed) return false;
    const auto place = idle.insert(idle.begin(), &me);
    ++waiting;
    const auto until = std::chrono::steady_clock::now() + idle_for;
    while (!me.called && !closed)
        if (me.wake.wait_until(lock, until) == std::cv_status::timeout) break;
    --waiting;
    if (!me.called) idle.erase(place);
    work = std::move(me.work);
    if (closed) gone.notify_all();
    return me.called;
}

void* VerbThreads::Shared::main(void* argument) {
    std::unique_ptr<Start> start(static_cast<Start*>(argument));
    const auto shared = std::move(start->shared);
    auto work = std::move(start->work);
    start.reset();
    do {
        work();
        work = nullptr; // what it holds ends before the wait
    } while (shared->wait_for_work(work));
    return nullptr;
}

VerbThreads::VerbThreads() : shared_(std::make_shared<Shared>()) {}

VerbThreads::~VerbThreads() {
    std::unique_lock lock(shared_->mutex);
    shared_->closed = true;
    for (auto* thread : shared_->idle) thread->wake.notify_one();
    shared_->gone.wait(lock, [&] { return shared_->waiting == 0; });
}

bool VerbThreads::run(std::function<void()> work) {
    {
        std::lock_guard lock(shared_->mutex);
        if (!shared_->idle.empty()) {
            auto* thread = shared_->idle.front();
            shared_->idle.pop_front();
            thread->work = std::move(work);
            thread->called = true;
            thread->wake.notify_one();
            return true;
        }
    }
    auto start = std::make_unique<Shared::Start>(Shared::Start{shared_, std::move(work)});
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, stack_bytes);
    ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // Signals of the process are its host's affair: one that came to this thread would end all.
    sigset_t all;
    sigfillset(&all);
    ::pthread_attr_setsigmask_np(&attributes, &all);
    pthread_t thread;
    const bool started = ::pthread_create(&thread, &attributes, &Shared::main, start.get()) == 0;
    ::pthread_attr_destroy(&attributes);
    if (started) start.release();
    return started;
}

} // namespace foxwedge::plugin
