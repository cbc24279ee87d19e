#include "journal/group_commit.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include <linux/futex.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "journal/suspend.hpp"

namespace foxwedge::journal {
namespace {

/// Given once, waited for by many, woken in one call. std::atomic's own wait yields the processor
/// several times before it sleeps: no way to wait for a disk beside 63 others.
class Signal {
public:
    void wait() {
        while (given_.load(std::memory_order_acquire) == 0) futex(FUTEX_WAIT_PRIVATE, 0);
    }
    /// Wakes up to `most` who wait.
    void give(int most) {
        given_.store(1, std::memory_order_release);
        futex(FUTEX_WAKE_PRIVATE, most);
    }

private:
    void futex(int operation, int value) {
        ::syscall(SYS_futex, &given_, operation, value, nullptr, nullptr, 0);
    }
    std::atomic<int> given_{0};
    static_assert(sizeof(given_) == 4 && std::atomic<int>::is_always_lock_free);
};

} // namespace

GroupCommit::GroupCommit(Environment& environment, WriterBoard& board,
                         std::function<bool()> give_up_reserve)
    : environment_(environment), board_(board), give_up_reserve_(std::move(give_up_reserve)) {}

struct GroupCommit::Batch {
    std::vector<Waiting*> members;
    Signal turn; ///< of its leader
    Signal done; ///< for the others
};

int GroupCommit::run(Work& work) {
    Waiting me{&work};
    std::shared_ptr<Batch> mine;
    bool first = false;
    bool at_once = false;
    {
        const std::lock_guard lock(mutex_);
        if (!next_) next_ = std::make_shared<Batch>();
        mine = next_;
        first = mine->members.empty();
        mine->members.push_back(&me);
        if (first) at_once = !std::exchange(leading_, true);
    }
    if (!first) {
        mine->done.wait();
        return me.error;
    }
    if (!at_once) mine->turn.wait();
    lead(*mine);
    return me.error;
}

void GroupCommit::lead(Batch& batch) {
    {
        const std::lock_guard lock(mutex_);
        next_.reset(); // who comes from now on waits for the next commit
    }
    std::vector<Waiting*> together;
    for (Waiting* const one : batch.members)
        if (!one->work->alone) together.push_back(one);
    if (!together.empty()) commit(together);
    for (Waiting* const one : batch.members) {
        if (!one->work->alone) continue;
        std::vector<Waiting*> alone{one};
        commit(alone);
    }
    std::shared_ptr<Batch> next;
    {
        const std::lock_guard lock(mutex_);
        next = next_;
        if (!next) leading_ = false;
    }
    // The next leader first: its commit can begin while the others are still being woken.
    if (next) next->turn.give(1);
    if (const auto others = batch.members.size() - 1; others > 0)
        batch.done.give(static_cast<int>(others));
}

void GroupCommit::commit(std::vector<Waiting*>& batch) {
    int error = attempt(batch, false);
    if (batch.size() > 1 && is_full(error)) {
        // One of them did not fit, but not its neighbours: each by itself.
        for (Waiting* const one : batch) {
            std::vector<Waiting*> alone{one};
            error = attempt(alone, false);
            if (error != 0) one->error = error;
        }
    } else if (error != 0) {
        for (Waiting* const one : batch) one->error = error;
    }
    for (Waiting* const one : batch) {
        if (!is_full(one->error) || !one->work->may_use_reserve || !give_up_reserve_()) continue;
        std::vector<Waiting*> alone{one};
        one->error = attempt(alone, true);
    }
}

int GroupCommit::attempt(std::vector<Waiting*>& batch, bool reserve) {
    const SuspendGuard not_stopped_inside;
    board_.waiting();
    Txn txn = environment_.write();
    board_.writing();
    if (txn.error() == 0) {
        LogWriter log(txn);
        WriteScope scope{txn, log};
        std::size_t bytes = 0;
        for (Waiting* const one : batch) {
            one->error = 0;
            bytes += one->work->bytes;
            if (!reserve && !one->work->may_use_reserve && !has_room(txn, bytes)) {
                bytes -= one->work->bytes;
                one->error = ENOSPC;
                continue;
            }
            one->work->apply(scope);
        }
    }
    const int error = txn.commit();
    board_.done();
    return error == EIO && disk_is_full() ? ENOSPC : error;
}

bool GroupCommit::disk_is_full() const {
    struct statvfs s {};
    return ::statvfs(environment_.path().c_str(), &s) == 0 &&
           std::uint64_t{s.f_bavail} * s.f_frsize < reserve_bytes;
}

bool GroupCommit::has_room(Txn& txn, std::size_t bytes) {
    const auto room = environment_.room();
    // Every page on the way to a row is copied; what is freed by that is free again later.
    constexpr std::uint64_t pages_of_any_commit = 64;
    const std::uint64_t needed =
        pages_of_any_commit + 2 * bytes / room.page_size + reserve_bytes / room.page_size;
    const std::uint64_t unused = room.limit_pages - std::min(room.limit_pages, room.used_pages);
    if (unused >= needed) return true;
    return unused + txn.free_pages() >= needed;
}

} // namespace foxwedge::journal
