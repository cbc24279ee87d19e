// The keys of the tables. Ids are packed (16 bytes), numbers big-endian, so that ranges sort.
#pragma once
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "journal/engine.hpp"

namespace foxwedge::journal {

/// Tags in the side table, after the run id.
inline constexpr char side_child = 'c';      ///< + child id → nothing
inline constexpr char side_inbox = 'i';      ///< + sequence → child id
inline constexpr char side_signal = 's';     ///< + key → full key, value
inline constexpr char side_checkpoint = 'k'; ///< + place → bytes
inline constexpr char side_gate = 'g';       ///< + gate id → nothing

inline constexpr char due_gate = 'g';
inline constexpr char due_run = 'r';

/// LMDB's keys end at 511 bytes: longer texts keep their first `head` bytes (whole code points) and
/// add their digest. Returns the text itself where it is short enough.
inline constexpr std::size_t long_key_head = 400;
std::string shortened(std::string_view key);
inline bool is_shortened(std::string_view key) {
    return key.size() > long_key_head;
}
/// Keys that share this much may sort differently shortened than whole.
inline constexpr std::size_t order_is_exact_below = long_key_head - 3;

/// A run that is this much younger than its id says (a child's id has the time of its root's) is
/// listed by its own time too, among the side rows of a run that nobody has.
inline constexpr Millis late_from{3'600'000};
inline constexpr char side_late = 'l'; ///< + time it was created, id → nothing
std::string late_key(Time created, std::string_view packed_run);
bool is_late(Time created, std::string_view packed_run);
/// The key in `meta` of a journal that has had these rows from its beginning.
inline constexpr const char* lists_late = "late";

std::string status_key(RunStatus, std::string_view packed_run);
std::string side_key(std::string_view packed_run, char tag, std::string_view rest = {});
std::string due_key(Time, char kind, std::string_view packed_id);
std::string start_key_digest(std::string_view host, std::string_view workflow,
                             std::string_view key);
std::string collection_key(std::string_view name); ///< 16 bytes
std::string checkpoint_place(const StepKey&, std::uint32_t generation);

} // namespace foxwedge::journal
