// A batch of one run with everything done that needs no transaction: limits checked, values hashed,
// records encoded.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "journal/codec.hpp"
#include "journal/transitions.hpp"

namespace foxwedge::journal {

/// What an activation knows of each step: enough to judge an item without reading.
struct StepState {
    std::string name;
    std::uint32_t generation = 0;
    bool finished = false, failed = false, intent = false, checkpoint = false;
};
class StepStates {
public:
    explicit StepStates(std::span<const Record>);
    const StepState* find(const StepKey&) const;
    StepState& at(const StepKey&);
    /// Why an item cannot follow what is there, or nothing.
    std::optional<std::string> conflict(const StepKey&, std::uint32_t generation) const;

    std::map<std::string, std::string> gates; ///< "<step>#<generation>" → id

private:
    std::map<std::pair<std::string, std::uint32_t>, StepState> states_;
};
std::string gate_name(const StepKey&, std::uint32_t generation);

struct PreparedItem {
    enum class Kind { intent, completion, gate, checkpoint, child } kind = Kind::intent;
    StepKey key;
    std::uint32_t generation = 0;
    Verdict verdict = Verdict::recorded; ///< other than recorded: decided already
    std::string why;
    bool nothing_to_do = false; ///< on record already
    std::string entry;          ///< encoded; "" where only other rows change
    std::vector<PreparedContent> contents;
    std::vector<PreparedEffect> effects;
    bool finishes = false, fails = false, clears_checkpoint = false;
    std::optional<GateRow> gate; ///< its state is written once its frame is
    std::string gate_id;         ///< not packed
    std::string checkpoint_bytes;
    std::optional<PreparedRun> child;
    std::size_t bytes = 0;
};

struct PreparedBatch {
    std::vector<PreparedItem> items;
    Prepared all; ///< the frame if every item is recorded
    std::size_t bytes = 0;
    /// Items that can still fail inside the transaction, or were decided before it.
    bool certain = true;
};

/// `root` and `run` of the run that writes; `now` its time.
PreparedBatch prepare_batch(Batch&&, const RunHead& run, const StepStates&, const Limits&,
                            Time now);
/// Whether all of it will be recorded as it is, whenever that may be: outcomes whose effects hang
/// on no revision and can be applied to the store as it stands.
bool is_sure(const PreparedBatch&, Txn);
/// The frame of those items that are accepted.
Prepared frame_of(const std::vector<PreparedItem>&, const std::vector<Verdict>&);

} // namespace foxwedge::journal
