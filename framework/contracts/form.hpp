// Forms that MCP servers ask people to fill in: flat objects of texts, numbers, booleans, choices.
#pragma once
#include "base/json.hpp"

namespace foxwedge {

/// `content` with the defaults of `requested_schema` (may be null) for what it leaves out.
JsonObject with_defaults(JsonObject content, const Json* requested_schema);

} // namespace foxwedge
