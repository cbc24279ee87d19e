// What the model wrote as a call's arguments, read strictly. Pure.
#pragma once
#include <string_view>

#include "base/json.hpp"

namespace foxwedge::agent {

/// Empty or blank text is {}. Anything that is no JSON object is an error `invalid_arguments` whose
/// message is meant for the model; nothing is repaired.
Result<JsonObject> parse_arguments(std::string_view text);

} // namespace foxwedge::agent
