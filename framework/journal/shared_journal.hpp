// What all engines of one process share per journal: the environment, the commit queue, the board
// that names the writer, the reserve. Opened once per process, by device and inode.
#pragma once
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include <unistd.h>

#include "journal/environment.hpp"
#include "journal/group_commit.hpp"
#include "journal/lmdb_engine.hpp"

namespace foxwedge::journal {

class SharedJournal final : public WriterBoard {
public:
    static Result<std::shared_ptr<SharedJournal>> open(const JournalOptions&);
    ~SharedJournal() override;

    Environment& environment() { return *environment_; }
    const std::string& path() const { return path_; }

    /// Returns once durable. 0 or LMDB's error.
    int run(Work& work);
    Txn read() { return environment_->read(); }

    void waiting() override;
    void writing() override;
    void done() override;
    /// Logs who holds the writer's lock if somebody here has waited for it for over 2 s.
    void report_long_wait();

    /// The lock that every process shares which has the journal open, to read it too. -1 and errno:
    /// not to be had.
    static int lock_use(const std::string& path, bool alone);

private:
    SharedJournal() = default;
    bool give_up_reserve();
    void renew_reserve();
    Status check_format();

    std::string path_;
    Log* log_ = nullptr;
    std::unique_ptr<Environment> environment_;
    std::unique_ptr<GroupCommit> commits_;
    int use_ = -1; ///< a shared lock: who compacts needs it alone
    const std::string my_pid_ = std::to_string(::getpid()); ///< as the board shows it
    char* board_ = nullptr; ///< shared memory of all processes: who writes
    std::atomic<std::int64_t> waiting_since_{0};
    std::atomic<bool> reported_{false};
    std::mutex reserve_mutex_;
    std::atomic<bool> reserve_given_up_{false};
    std::chrono::steady_clock::time_point next_reserve_{};
};

} // namespace foxwedge::journal
