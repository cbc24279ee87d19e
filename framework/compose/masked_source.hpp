// Keeps the host's secrets out of what tools answer: code, model and journal see the masked text.
#pragma once
#include <memory>

#include "compose/secrets.hpp"
#include "contracts/tool.hpp"

namespace foxwedge::compose {

/// `secrets` outlives the source.
std::shared_ptr<ToolSource> masked_source(std::shared_ptr<ToolSource>, const Secrets& secrets);

} // namespace foxwedge::compose
