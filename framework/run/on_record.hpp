// What a run had on record when this execution of it began, and notes on the run itself.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "run/run.hpp"

namespace foxwedge::run {

/// All of it, notes too; what this execution adds is not among it. Any thread.
std::span<const journal::Record> records_of(Run&);

/// Questions to people among those records, answered or open, that `counts` accepts by the name of
/// their step. Any thread.
std::size_t gates_on_record(Run&, const std::function<bool(std::string_view step)>& counts);

/// Run::next_child of an end that the caller has read among those records already: goes past it,
/// and reads nothing. `child`: whose it is.
Status pass_child_end(Run&, std::string_view name, std::string_view child);

/// Notes of this kind stand in the lane "@<kind>", which no code asks for.
std::string note_lane(std::string_view kind);
/// Adds one, before the first new step and once an execution. Nothing is written in a replay.
Status note(Run&, std::string_view kind, const std::string& value_json);

} // namespace foxwedge::run
