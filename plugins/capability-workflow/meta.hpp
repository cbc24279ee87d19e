// `meta`: what a script says of itself.
#pragma once
#include <string>

#include <foxwedge/json.hpp>

namespace workflow {

using foxwedge::plugin::Value;

/// Every violation, as one sentence each; "" where there is none.
std::string meta_problems(const Value& meta);

} // namespace workflow
