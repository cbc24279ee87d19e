// What messages call the kinds of JSON values.
#pragma once
#include <string_view>

#include "base/json.hpp"

namespace foxwedge {

/// "null", "a boolean", "a number", "a string", "an array", "an object".
std::string_view kind_name(const Json&);

} // namespace foxwedge
