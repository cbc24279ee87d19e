// What this process has under way and has spent for each budget: the part of a ledger that is not
// in the journal yet. Any thread.
#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "agent/budget/spent.hpp"

namespace foxwedge::agent {

class InFlight {
public:
    explicit InFlight(const Clock& clock = system_clock()) : clock_(clock) {}
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

    /// The account of one budget, named by the run whose agent has it.
    struct Account {
        Spent base;                  ///< committed when this process first looked
        Spent added;                 ///< by calls of this process since, committed or not
        std::set<std::string> calls; ///< of tools, by step key: each counts once
        int under_way = 0;
        std::chrono::steady_clock::time_point since{}; ///< while something is under way
        Millis pending{0};                             ///< of calls that ended unrecorded
        bool known = false;
    };
    /// Calls `work` with the account, alone.
    template <class Work>
    auto with(const std::string& run, Work&& work) {
        const std::lock_guard lock(mutex_);
        return work(accounts_[run]);
    }
    /// Time for which something was under way and which no call has taken yet; once.
    Millis take_time(Account&) const;
    std::chrono::steady_clock::time_point now() const { return clock_.steady(); }

private:
    const Clock& clock_;
    std::mutex mutex_;
    std::map<std::string, Account> accounts_;
};

} // namespace foxwedge::agent
