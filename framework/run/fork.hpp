// What a fork takes over of the run that it is taken from. Pure.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/engine.hpp"

namespace foxwedge::run {

struct Fork {
    std::vector<journal::Record> seed; ///< in the order in which they were recorded
    std::string at_kind;               ///< of the step
};

/// All that stands structurally before the step `at`; with `output_json` that step too, as if its
/// outcome had been this. A fan-out comes whole or not at all: a step of a branch is taken back to
/// the start of its fan-out, unless it is given its output. Notes on `origin` name what must not be
/// repeated unasked. Errors: `not_found` with what it could have meant; `fork_open` where something
/// before the step still waits in the origin.
Result<Fork> fork_of(const journal::RunHead& origin, std::span<const journal::Record>,
                     std::string_view at, const std::optional<std::string>& output_json);

} // namespace foxwedge::run
