// The records of the journal as bytes: pure, versioned, tested by tables. docs/journal-format is
// the same in words; the two change together.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "journal/engine.hpp"

namespace foxwedge::journal {

inline constexpr std::uint32_t format_oldest = 1;  ///< the oldest format that is read
inline constexpr std::uint32_t format_version = 1; ///< the one that is written

/// Values of this size and more are stored once by digest.
inline constexpr std::size_t shared_from = 4096;
inline constexpr std::size_t piece_bytes = 1300;

/// Bytes that are stored by digest; `bytes` borrows from what was encoded.
struct Content {
    Digest digest{};
    std::string_view bytes;
};
/// Where a decoder gets stored bytes from.
class ContentSource {
public:
    virtual ~ContentSource() = default;
    /// False if they are missing or damaged.
    virtual bool read(const Digest&, std::size_t size, std::string& into) = 0;
};

enum class EntryType : std::uint8_t {
    intent = 1,
    completion = 2, ///< an attempt, with or without outcome
    begun = 3,      ///< by a checkpoint
    child = 4,
    gate = 5,
    end = 6, ///< of a run
    seed = 7,
};

/// One record of a run's log.
struct Entry {
    EntryType type = EntryType::begun;
    std::uint64_t sequence = 0; ///< given by its place, not encoded
    StepKey key;
    std::uint32_t generation = 0;
    std::vector<Attempt> attempts;
    std::optional<Outcome> outcome;
    std::string usage_json, trace_id;
    std::string id;                          ///< gate, child
    std::string gate;                        ///< gate: what it asks, see encode_question
    RunStatus status = RunStatus::succeeded; ///< end
    bool intent = false;                     ///< seed
    std::string checkpoint;                  ///< seed
};

/// Appends the entry. Values that go to the store of contents are added to `contents` (they borrow
/// from the entry).
void encode(std::string& out, const Entry&, std::vector<Content>& contents);
/// Reads one entry off the front of `in` into `into`, which is fresh; false if it is broken.
bool decode_entry(std::string_view& in, ContentSource&, Entry& into);

/// The step's name at the front of a damaged entry, if it looks like one; else "".
std::string first_name(std::string_view payload);

/// The records that entries (oldest first) add up to, by lane and index, older generations first.
std::vector<Record> fold(std::vector<Entry>);

/// What a run was started with: written once.
struct RunRow {
    std::string host, workflow, key, parent, root, forked_from;
    Time created{};
    std::string input_json, config_json, labels_json;
};
std::string encode(const RunRow&, std::vector<Content>& contents);
/// Without `contents` the input and configuration stay empty (lists).
std::optional<RunRow> decode_run(std::string_view, ContentSource* contents);

/// Where a run stands: one small row, overwritten.
struct LiveRow {
    RunStatus status = RunStatus::ready;
    bool cancel_asked = false;
    std::uint64_t epoch = 0;
    std::string owner;            ///< "" when nobody holds it
    std::uint64_t tail = 0;       ///< newest frame, 0 for none
    std::uint64_t newest = 0;     ///< sequence of the newest record
    std::uint64_t claimed_at = 0; ///< `newest` when it was claimed
    std::uint64_t retried_at = 0;
    std::uint64_t end = 0; ///< frame of its end, 0 for none
    Time updated{};
    std::uint32_t deaths = 0, unclean = 0;
    std::string reason, cancelled_by;
    std::vector<Wait> waits;
};
std::string encode(const LiveRow&);
std::optional<LiveRow> decode_live(std::string_view);

/// A gate with the step that asks. What it asks never changes and stands in the log; its state is a
/// small row.
struct GateRow {
    Gate gate;
    StepKey key;
    std::uint32_t generation = 0;
    std::vector<Effect> on_close;
    std::uint64_t frame = 0; ///< where in the log its question is
};
std::string encode_question(const GateRow&, std::vector<Content>& contents);
bool decode_question(std::string_view, GateRow& into, ContentSource&);
std::string encode_state(const GateRow&);
bool decode_state(std::string_view, GateRow& into);

/// One item of the store.
struct StoreRow {
    std::uint64_t revision = 0;
    bool removed = false;
    std::string full_key; ///< only where the stored key is shortened
    std::string value_json;
};
std::string encode(const StoreRow&, std::vector<Content>& contents);
std::optional<StoreRow> decode_store(std::string_view, ContentSource*);

/// The digests that a row or entry refers to (prune, check, export); false if it is broken.
bool contents_of_entry(std::string_view& in, std::vector<Digest>& into);
bool contents_of_run(std::string_view, std::vector<Digest>& into);
bool contents_of_store(std::string_view, std::vector<Digest>& into);

} // namespace foxwedge::journal
