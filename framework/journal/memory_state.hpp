// Inside the engine in memory: the state that outlives processes, and its transitions. All
// functions expect `mutex` to be held.
#pragma once
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "journal/memory_engine.hpp"

namespace foxwedge::journal {

struct MemoryRun {
    RunHead head;
    std::string owner;           ///< "" when nobody holds it
    std::vector<Record> records; ///< in order of arrival
    /// Lane → index → the newest generation among `records`: a step costs the same in a long run.
    std::unordered_map<std::string, std::unordered_map<std::uint32_t, std::size_t>> newest;
    std::vector<ChildEnd> inbox;
    std::uint64_t parked_children = 0; ///< how often a child of it was given up
    std::map<std::string, std::string, std::less<>> signals;
    std::vector<Wait> waits;
    std::vector<std::string> children;
    bool cancel_asked = false;
    std::string cancelled_by;
    std::uint64_t claimed_at = 0; ///< sequence when it was claimed
    std::uint32_t unclean = 0;
    Digest input{};
};

struct MemoryGate {
    Gate gate;
    std::uint32_t generation = 0;
    std::vector<Effect> on_close;
};

struct MemoryCollection {
    std::uint64_t revision = 0;
    std::map<std::string, StoreItem, std::less<>> items;
};

struct MemoryState {
    explicit MemoryState(const Clock& c) : clock(c) {}

    const Clock& clock;
    mutable std::mutex mutex;
    std::condition_variable_any changed;
    std::map<std::string, MemoryRun, std::less<>> runs;
    std::map<std::string, std::string, std::less<>> keys;
    std::map<std::string, MemoryGate, std::less<>> gates;
    std::map<std::string, MemoryCollection, std::less<>> store;
    std::set<std::string, std::less<>> live;     ///< owners whose process lives
    std::map<std::string, ServeOptions> serving; ///< by owner
    std::uint64_t sequence = 0;
    std::uint64_t operations = 0;
    std::uint64_t processes = 0;
    std::optional<Cut> cut;
    std::vector<std::string> order;
    std::vector<std::string> enforced;
    std::map<std::string, std::stop_source> holders; ///< by run, of what is held
    std::vector<std::stop_source> to_stop;           ///< once the mutex is free: see MemoryLock

    MemoryRun* find(std::string_view run);
    /// Now, never before what the run has on record.
    Time time_of(const MemoryRun&) const;
    void touch(MemoryRun&);
    bool held(const MemoryRun& run) const { return live.count(run.owner) > 0; }

    Result<Engine::Started> start(const NewRun&);
    void finish(MemoryRun&, RunStatus, const Outcome&);
    void cancel_tree(MemoryRun&, const std::string& who);
    bool fired(const MemoryRun&, const Wait&) const;
    /// A run that waits for this becomes ready.
    void wake(const std::string& run, Wait::On, const std::string& id);
    void close(MemoryGate&, Gate::Status, std::string decision);
    /// Fires deadlines that have passed and gives up what dead owners held.
    void settle();

    /// Applies all or nothing; says why not.
    std::optional<std::string> apply(std::span<const Effect>);
    static Record* newest(MemoryRun&, const StepKey&);
    static Record& add(MemoryRun&, Record);
    /// The record of an item, made if new; null and `why` if the item conflicts.
    Record* begin(MemoryRun&, const StepKey&, std::uint32_t generation, std::string& why);

private:
    void bury(const std::string& owner);
};

/// Holds the mutex; when it goes, those to be stopped are stopped without the mutex, because what a
/// stop sets off may come back for it.
class MemoryLock {
public:
    explicit MemoryLock(MemoryState& state) : state_(state), lock(state.mutex) {}
    ~MemoryLock() {
        auto stops = std::exchange(state_.to_stop, {});
        lock.unlock();
        for (auto& stop : stops) stop.request_stop();
    }
    MemoryLock(const MemoryLock&) = delete;
    MemoryLock& operator=(const MemoryLock&) = delete;

private:
    MemoryState& state_;

public:
    std::unique_lock<std::mutex> lock;
};

} // namespace foxwedge::journal
