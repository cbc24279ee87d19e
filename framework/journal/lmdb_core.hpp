// Inside the LMDB engine: one owner on a shared journal, used by the engine and its activations.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "journal/owners.hpp"
#include "journal/shared_journal.hpp"
#include "journal/transitions.hpp"

namespace foxwedge::journal {

/// The longest time between two looks at what other processes have written.
inline constexpr Millis poll_interval{1000};

/// A run that this owner holds.
struct Held {
    std::string packed;
    std::uint64_t epoch = 0;
    std::stop_source stop;
    std::atomic<bool> cancelled{false}, lost{false};
    std::atomic<bool> given_up{false}; ///< ended without park or finish

    /// What of it is not on record yet. With `owing`: held while a transaction takes it along, so
    /// that it is written once.
    std::mutex owing;
    std::atomic<bool> owes{false};
    std::chrono::steady_clock::time_point owes_since;
    std::function<void()> pay; ///< writes it; the caller has `owing`. Null: nobody is left to

    // With the core's mutex:
    std::uint64_t news = 0; ///< rises when something that it may wait for has happened
    std::uint64_t told = 0; ///< up to which its execution has been told to look at its children
    std::condition_variable_any changed;
};

class LmdbCore {
public:
    static Result<std::shared_ptr<LmdbCore>> open(const JournalOptions&);
    ~LmdbCore();

    const Clock& clock() const { return *clock_; }
    Log& log() const { return *log_; }
    SharedJournal& journal() { return *journal_; }
    Owners& owners() { return *owners_; }
    const std::string& owner() const { return owners_->id(); }
    bool alive(const std::string& owner) const { return owners_->alive(owner); }

    /// One durable change. `change` may run more than once, see Work. 0 or LMDB's error. Wakes
    /// whoever waits for news once it is durable.
    int write(const std::function<void(Transitions&, WriteScope&)>& change, std::size_t bytes,
              bool may_use_reserve);
    /// Contents that are too large for a shared transaction, each in one of its own.
    int write_large(const std::vector<PreparedContent>&);
    Txn read() { return journal_->read(); }
    Error fault(int error) const { return fault_of(error, journal_->path()); }
    Error gone() const;

    /// Fires what is due and buries the dead, if there is any of that. Cheap where there is not.
    /// For who asks often: the dead are looked for a few times a second.
    void settle(bool often = false);

    /// With `owing` of the run.
    void owe(Held&);
    void paid(Held&);
    /// Puts on record what is owed of this run.
    void pay(std::string_view packed);
    /// … and of every run that has owed it for that long.
    void pay_older(Millis age);

    std::shared_ptr<Held> hold(const std::string& packed, std::uint64_t epoch);
    void let_go(const std::shared_ptr<Held>&);
    std::size_t held() const;
    /// Stops what has been cancelled or taken over.
    void look_at_held();

    /// Rises whenever there may be a run to be claimed.
    std::uint64_t generation() const { return generation_.load(); }
    /// Waits for the next generation, `time` at most, or until `stop`.
    void await_ready(std::uint64_t seen, Millis time, const std::stop_token& stop);
    void some_ready();
    /// A held run's news, and the wait for more of them, `time` at most, or until `stop`.
    std::uint64_t news_of(const Held&) const;
    void await_news(Held&, std::uint64_t seen, Millis time, const std::stop_token& stop);
    void has_news(Held&);
    /// True once for any number of news.
    bool is_to_look(Held&);
    /// Whoever waits for anything looks.
    void bump();
    /// Waits for all of `time`, or until `stop`.
    void pause(Millis time, const std::stop_token& stop);
    /// The thread that takes hints and looks each second; started when first needed.
    void watch();
    /// Something is due earlier than the watch thread knows.
    void replan() const { owners_->interrupt(); }

    std::atomic<bool> abandoned{false};

private:
    LmdbCore() = default;
    void watch_loop(const std::stop_token&);
    Millis until_next_due();
    std::set<std::string> dead_owners(Txn&);

    const Clock* clock_ = nullptr;
    Log* log_ = nullptr;
    std::shared_ptr<SharedJournal> journal_;
    std::unique_ptr<Owners> owners_;
    std::function<bool(const std::string&)> alive_;
    void tell(const Transitions::News&);
    void pay_if(const std::function<bool(const Held&)>&);

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::atomic<std::uint64_t> generation_{1};
    std::atomic<std::int64_t> looked_for_dead_{0}; ///< of the steady clock, in milliseconds
    std::atomic<int> owing_{0};                    ///< runs that owe
    std::map<Held*, std::shared_ptr<Held>> held_;
    std::once_flag watching_;
    std::jthread watcher_;
};

std::unique_ptr<Activation> make_lmdb_activation(std::shared_ptr<LmdbCore>, std::shared_ptr<Held>,
                                                 RunHead head, std::vector<Entry> entries,
                                                 const LiveRow& live,
                                                 std::optional<PreparedRun> birth = {});

/// What a run's activation and lists are made of, read in one transaction.
struct LoadedRun {
    RunHead head;
    LiveRow live;
    std::vector<Entry> entries;
    std::optional<Damage> damage;
};
enum class Load { head, head_for_list, all };
/// Nothing if there is no such run.
std::optional<LoadedRun> load_run(Txn&, std::string_view packed, Load);
/// The records of a loaded run, checkpoints included.
std::vector<Record> records_of(Txn&, std::string_view packed, std::vector<Entry> entries);
Error damage_error(std::string_view run, const Damage&);
Error no_such_run(std::string_view run);

} // namespace foxwedge::journal
