// What changes the state of runs, inside one write transaction: starting, ending, cancelling,
// waking, closing gates, burying what a dead owner held. The in-memory engine has the same in
// memory_state.cpp; one conformance suite holds both to it.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "journal/codec.hpp"
#include "journal/group_commit.hpp"
#include "journal/store.hpp"

namespace foxwedge::journal {

/// A run to be started, with everything done that needs no transaction.
struct PreparedRun {
    std::string id;                 ///< packed
    std::string parent, key_digest; ///< packed; "" for none
    Digest input{};
    std::string row;
    Time created{};
    Prepared seed; ///< empty payload: none
    std::vector<PreparedContent> contents;
    std::size_t bytes() const;
};
PreparedRun prepare_run(const NewRun&, std::string_view root, Time now);

/// Of a run that is held from its start.
inline constexpr std::uint64_t first_epoch = 1;

class Transitions {
public:
    /// `alive` tells whether an owner's process lives; asked inside the transaction, it must be
    /// quick.
    Transitions(WriteScope& scope, Time now, const std::function<bool(const std::string&)>& alive)
        : txn_(scope.txn), log_(scope.log), now_(now), alive_(alive) {}

    std::optional<LiveRow> live(std::string_view run);
    /// Writes the row, and the status index where `before` had another status (nothing: a new run).
    void put(std::string_view run, const LiveRow& row, std::optional<RunStatus> before);
    Time time_of(const LiveRow& row) const { return std::max(now_, row.updated); }

    enum class Start { started, existed, conflict, no_parent };
    /// `existing`: the run that is there already. `owner`: who holds it from the start; "": it is
    /// ready.
    Start start(const PreparedRun&, std::string& existing, const std::string& owner = {});

    /// `frame` is the run's end, prepared.
    void finish(std::string_view run, LiveRow row, RunStatus, const Prepared& frame);
    void cancel_tree(std::string_view run, const std::string& who);
    /// Takes the run off what it waits for.
    void clear_waits(std::string_view run, LiveRow& row);
    void set_waits(std::string_view run, LiveRow& row, const std::vector<Wait>& waits);
    static bool fired(Txn&, std::string_view run, const Wait&, Time now);
    void wake(std::string_view run, Wait::On, const std::string& id);
    /// `frame`: where its question is in the log.
    void open_gate(std::string_view run, GateRow gate, std::uint64_t frame);
    void close(std::string_view gate, GateRow& row, Gate::Status, std::string decision);
    /// Closes a gate that nobody has answered as cancelled; any other stays as it is.
    void withdraw(std::string_view gate);

    /// Fires deadlines up to now, at most `limit`; true if there may be more.
    bool fire_due(std::size_t limit);
    /// Gives up everything that `owner`, who is dead, held.
    void bury(const std::string& owner);

    /// What is to be told once it is durable, and to whom.
    struct News {
        bool any = false;              ///< other processes may wait for it
        bool ready = false;            ///< a run can be claimed
        bool holders = false;          ///< a run was cancelled or taken over: its holder is to look
        std::vector<std::string> runs; ///< something that they may wait for has happened
    };
    const News& news() const { return news_; }
    void concerns(std::string_view run) { news_.runs.emplace_back(run); }
    void concerns_holders() { news_.any = news_.holders = true; }
    Time now() const { return now_; }

private:
    std::vector<std::string> pending_gates(std::string_view run);
    std::vector<std::string> children(std::string_view run);
    std::string parent_of(std::string_view run);
    std::string blamed(const std::vector<std::pair<std::string, LiveRow>>& left);
    Txn& txn_;
    LogWriter& log_;
    Time now_;
    const std::function<bool(const std::string&)>& alive_;
    News news_;
};

/// `outcome` of a cancelled run, or what says who has cancelled it, where somebody has.
Outcome named_cancel(Txn txn, std::string_view run, const Outcome& outcome);
Prepared prepare_end(RunStatus, const Outcome&, std::vector<PreparedContent>& contents);

} // namespace foxwedge::journal
