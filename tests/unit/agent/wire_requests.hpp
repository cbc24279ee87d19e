// Recorded requests of four vendors as the neutral request that would have led to them: texts, own
// tools, shapes. Only what a token count needs.
#pragma once
#include <optional>
#include <string>

#include "contracts/provider.hpp"

namespace foxwedge::test {

/// Nothing for a request with pictures, files, a vendor's own tools or a stored prompt.
std::optional<GenerateRequest> request_of_exchange(const Json& exchange);

} // namespace foxwedge::test
