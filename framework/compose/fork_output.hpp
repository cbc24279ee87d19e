// What a person gives as the output of a step, in the form in which a step of that kind records it.
// Pure.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "journal/engine.hpp"

namespace foxwedge::compose {

/// A model's answer may be given as its text, a decision as its word; everything else is taken as
/// it is. `invalid_output` for JSON that the step's reader would refuse.
Result<std::string> output_for(std::span<const journal::Record>, std::string_view step,
                               std::string_view json);

} // namespace foxwedge::compose
