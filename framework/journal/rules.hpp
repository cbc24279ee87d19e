// What every engine decides the same way: pure functions over the seam's structs.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "journal/engine.hpp"

namespace foxwedge::journal {

inline constexpr std::size_t max_step_name = 512;
inline constexpr std::size_t max_checkpoint = 64u << 10;
inline constexpr std::size_t max_store_key = 2000;
inline constexpr std::size_t max_effects = 1000;
inline constexpr std::size_t max_effect_bytes = 4u << 20;
/// Unclean deaths, alone and without progress, after which a run is stuck.
inline constexpr std::uint32_t deaths_to_stuck = 5;
/// Unclean deaths, alone or not, after which dispatchers resume a run only by itself.
inline constexpr std::uint32_t deaths_to_suspect = 2;

/// Why a value cannot be recorded, or nothing: limits of names, values, keys, batches.
std::optional<std::string> unfit(const StepKey&);
std::optional<std::string> unfit(const Completion&, const Limits&);
std::optional<std::string> unfit(const Checkpoint&, const Limits&);
std::optional<std::string> unfit(std::span<const Effect>, const Limits&);
/// Of the first item that never fits, however much room there is.
std::optional<std::string> unfit(const Batch&, const Limits&);
/// `too_large` or `input_validation` for a run that cannot be started.
Status check_new_run(const NewRun&, const Limits&);
/// What Engine::begin asks for beside that.
Status check_begun(const NewRun&);

/// True if an item of `generation` may follow the newest record of its step (null: none).
bool generation_holds(const Record* newest, std::uint32_t generation);

/// Why an item for `key` cannot follow `newest`.
std::string conflict_of(const StepKey& key, const Record* newest);
/// Names the step at which a run keeps ending its host.
std::string stuck_reason(std::span<const Record>);

/// Whether `answer` may decide `gate` at `now`; the error is what the person is told. A gate past
/// its deadline is `expired` here even while its row still says pending.
Status judge(const Gate& gate, const Answer& answer, Time now);
bool is_due(const Gate&, Time now);
/// The recorded decision of an answer, of a deadline that passed, of a run that ended.
std::string decision_of(const Answer&, Time now);
std::string timeout_decision(const Gate&, Time now);
std::string cancel_decision(Time now);

/// `current` with `add` (a number, or an object of numbers) added to it; nothing counts as zero.
/// `conflict` where the two have no sum.
Result<std::string> added(std::optional<std::string_view> current, std::string_view add);

/// The scope of start keys: one text for (host, workflow, key).
std::string start_key(std::string_view host, std::string_view workflow, std::string_view key);
Error key_conflict(const NewRun&, std::string_view existing);

/// What a run comes to that somebody has cancelled.
Error cancelled_by(std::string_view who);

/// What a dead run's owner left behind, for counting (docs/journal-format, "Deaths").
struct Death {
    bool alone = false;      ///< the owner held this run only, and runs that waited for it
    bool progressed = false; ///< something new is on record since the run was claimed
};
/// The run's counters after an unclean death; true if it is stuck now.
bool count_death(std::uint32_t& deaths, std::uint32_t& unclean, const Death&);

} // namespace foxwedge::journal
