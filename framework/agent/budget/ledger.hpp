// What may be spent, and whether it is. Pure.
#pragma once
#include <cstdint>
#include <optional>

#include "contracts/message.hpp"
#include "contracts/options.hpp"

namespace foxwedge::agent {

/// True if what was spent leaves nothing for one more call: of the model, or (`tool_calls` being
/// all made so far and all but one of those wanted) of a tool.
bool over(const Budget&, const Usage& spent, std::optional<double> usd, std::int64_t tool_calls);

} // namespace foxwedge::agent
