// The replay machine: what is on record, compared with what the code asks for. Pure: records in,
// decisions out, lane by lane and position by position, never by order of arrival.
#pragma once
#include <cstdint>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "journal/engine.hpp"

namespace foxwedge::run {

/// Lanes that no code asks for hold notes on the run itself: their paths begin with this.
inline constexpr char note_mark = '@';
/// The configurations that were put in force after the start, in order.
inline constexpr std::string_view configuration_lane = "@config";
/// What a fork has to know of the run that it was taken from.
inline constexpr std::string_view fork_lane = "@fork";

enum class Standing : std::uint8_t {
    recorded, ///< has an outcome: it is the answer
    begun,    ///< on record without an outcome: attempts, an intent, a gate, a timer, a child
    fresh,    ///< nothing on record here, nor later in the lane
    mismatch, ///< the record has something else here
};
struct Decision {
    Standing standing = Standing::fresh;
    /// The newest generation: of `recorded`, `begun`; of `mismatch` what the record has instead, or
    /// null when it has nothing here but something later.
    const journal::Record* record = nullptr;
    std::uint32_t generation = 0; ///< of what is recorded, or to be recorded next
};

/// The path of branch `branch` of the fan-out or container at `index` of `lane`.
std::string lane_below(std::string_view lane, std::uint32_t index, std::uint32_t branch);

/// Everything on record of one run, by lane. Borrows the records. Immutable: any thread.
class History {
public:
    /// Failed outcomes with a sequence up to `retried_at` that nothing recorded follows stand as
    /// `fresh` in the next generation; 0: none.
    explicit History(std::span<const journal::Record> records, std::uint64_t retried_at = 0);
    History(const History&) = delete;
    History& operator=(const History&) = delete;

    struct Lane;
    class Cursor;
    Cursor lane(std::string_view path) const;

    /// As given, notes too.
    std::span<const journal::Record> records() const { return records_; }

    /// The texts of the configurations that were put in force after the start, in order.
    std::vector<std::string_view> configurations() const;
    /// How many of them were in force when `sequence` was written.
    std::uint32_t configurations_at(std::uint64_t sequence) const;
    /// Digests of inputs of steps that must not be repeated unasked: the run that this one was
    /// forked from has made them.
    bool made_before(const Digest& inputs) const { return made_before_.contains(to_hex(inputs)); }

private:
    Lane& place(std::string_view path);
    void take_note(const journal::Record&);
    void date_lanes_below();
    bool redone(const Lane&, std::size_t at) const;

    std::span<const journal::Record> records_;
    std::uint64_t retried_at_;
    std::unordered_map<std::string_view, Lane> lanes_;
    std::vector<const journal::Record*> configurations_; ///< rising in sequence
    std::set<std::string> made_before_;                  ///< in hex
    friend class Cursor;
};

struct History::Lane {
    struct Place {
        std::uint32_t index = 0;
        const journal::Record* newest = nullptr; ///< null: only lanes below it are on record
        bool lanes_below = false;
        std::uint64_t below_since = 0; ///< sequence of the oldest record below; 0: not dated
    };
    std::vector<Place> places; ///< by index
    Lane* parent = nullptr;
    std::uint32_t index_in_parent = 0;
};

/// Where one execution of a lane stands. Used by one thread at a time.
class History::Cursor {
public:
    Cursor(const History& history, const Lane* lane) : history_(&history), lane_(lane) {}

    /// The step asked for at `index`, which rises from call to call. A step that `may_have_lanes`
    /// (containers, gated fan-outs, questions) may find lanes below it without a record of its own.
    Decision step(std::uint32_t index, std::string_view name, std::string_view kind,
                  const Digest& inputs, bool may_have_lanes);
    /// A fan-out without a record of its own at `index`: `recorded` when the lane went past it,
    /// `begun` when only lanes below are on record, `fresh`, or `mismatch`.
    Decision branches(std::uint32_t index);
    /// True if something at or after `index` is on record.
    bool anything_from(std::uint32_t index) const;
    /// True if the step at `index` has an outcome.
    bool outcome_at(std::uint32_t index) const;
    /// The name of the step at `index`, or "".
    std::string_view name_at(std::uint32_t index) const;
    /// The value of its outcome, or "".
    std::string_view value_at(std::uint32_t index) const;
    /// How many configurations later than the pinned one are in force at `index`: those that were
    /// when what is settled there was recorded; all of them for what is open or new.
    std::uint32_t configuration_at(std::uint32_t index) const;

private:
    const Lane::Place* place_at(std::uint32_t index, std::size_t& nth) const;
    /// The outcome at `index` that stands, or null.
    const journal::Record* settled_at(std::uint32_t index) const;
    const Lane::Place* at(std::uint32_t index);
    const journal::Record* newest_at(std::uint32_t index) const;

    const History* history_;
    const Lane* lane_; ///< null: nothing on record
    std::size_t next_ = 0;
};

/// The names of one execution: each may stand at one position only. Any thread.
class Names {
public:
    explicit Names(const History& history) : history_(history) {}
    /// False if `name` stands elsewhere already, on record or new.
    bool claim(std::string_view name, std::string_view lane, std::uint32_t index);

private:
    const History& history_;
    std::mutex mutex_;
    bool loaded_ = false;
    std::unordered_map<std::string, std::string> places_;
};

/// `replay_mismatch`: names step, lane and the difference of what is asked and what is on record.
Error mismatch_error(const journal::StepKey& asked, const journal::Record* recorded);

} // namespace foxwedge::run
