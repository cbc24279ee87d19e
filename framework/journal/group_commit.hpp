// Group commit by leader and followers: the caller that finds no commit under way commits for all
// that queue behind it; the others wait for their own result. No thread of its own.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/log.hpp"
#include "journal/environment.hpp"
#include "journal/frames.hpp"

namespace foxwedge::journal {

/// What a piece of work sees inside the transaction.
struct WriteScope {
    Txn& txn;
    LogWriter& log;
};

/// One piece of work for a transaction, prepared as far as it can be.
struct Work {
    /// Runs inside a write transaction, on any thread, perhaps more than once: it assigns its
    /// results, it does not add to them. Never blocks, never throws.
    std::function<void(WriteScope&)> apply;
    std::size_t bytes = 0; ///< about how much it writes
    bool may_use_reserve =
        false;          ///< parks, decisions, cancels: allowed when all but the reserve is used
    bool alone = false; ///< so large that it gets a transaction of its own
};

/// Who holds the writer's lock of all processes, for those who wait for it.
class WriterBoard {
public:
    virtual ~WriterBoard() = default;
    virtual void waiting() = 0;
    virtual void writing() = 0;
    virtual void done() = 0;
};

class GroupCommit {
public:
    GroupCommit(Environment&, WriterBoard&, std::function<bool()> give_up_reserve);

    /// Returns once the work is durable (0) or certainly not (LMDB's error or an errno). Work that
    /// does not fit fails by itself, the rest of its transaction does not. Any thread.
    int run(Work&);

private:
    struct Waiting {
        Work* work;
        int error = 0;
    };
    /// Those whom one leader takes along: its first, who leads, and who came while it waited.
    struct Batch;
    void lead(Batch&);
    void commit(std::vector<Waiting*>&);
    int attempt(std::vector<Waiting*>&, bool reserve);
    bool has_room(Txn&, std::size_t bytes);
    /// LMDB reports a write that the disk took in part as EIO.
    bool disk_is_full() const;

    Environment& environment_;
    WriterBoard& board_;
    std::function<bool()> give_up_reserve_;
    std::mutex mutex_;
    std::shared_ptr<Batch> next_; ///< forms while the one before is committed; null: nobody queues
    bool leading_ = false;        ///< a commit is under way
};

/// Room kept for parks, decisions and cancels.
inline constexpr std::size_t reserve_bytes = 1 << 20;

} // namespace foxwedge::journal
