#include "journal/group_commit.hpp"

#include <algorithm>
#include <cerrno>

#include <sys/statvfs.h>

#include "journal/suspend.hpp"

namespace foxwedge::journal {

GroupCommit::GroupCommit(Environment& environment, WriterBoard& board,
                         std::function<bool()> give_up_reserve)
    : environment_(environment), board_(board), give_up_reserve_(std::move(give_up_reserve)) {}

int GroupCommit::run(Work& work) {
    Waiting me{&work};
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(&me);
        if (!leading_) {
            leading_ = true;
            me.state = 2;
        }
    }
    if (me.state.load(std::memory_order_acquire) != 2) me.state.wait(0, std::memory_order_acquire);
    if (me.state.load(std::memory_order_acquire) == 2) lead();
    return me.error;
}

void GroupCommit::lead() {
    std::vector<Waiting*> batch;
    {
        const std::lock_guard lock(mutex_);
        batch.swap(queue_);
    }
    std::vector<Waiting*> together;
    for (Waiting* const one : batch)
        if (!one->work->alone) together.push_back(one);
    if (!together.empty()) commit(together);
    for (Waiting* const one : batch) {
        if (!one->work->alone) continue;
        std::vector<Waiting*> alone{one};
        commit(alone);
    }
    Waiting* next = nullptr;
    {
        const std::lock_guard lock(mutex_);
        if (queue_.empty())
            leading_ = false;
        else
            next = queue_.front();
    }
    // The next leader first: its commit can begin while the others are still being woken.
    if (next) {
        next->state.store(2, std::memory_order_release);
        next->state.notify_one();
    }
    for (Waiting* const done : batch) {
        if (done->state.load(std::memory_order_relaxed) == 2) continue; // the leader itself
        done->state.store(1, std::memory_order_release);
        done->state.notify_one();
    }
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
