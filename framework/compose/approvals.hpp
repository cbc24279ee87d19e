// Approvals of the journal's gates, each used once.
#pragma once
#include <memory>

#include "agent/world.hpp"

namespace foxwedge::compose {

std::unique_ptr<agent::Approvals> journal_approvals(std::shared_ptr<journal::Engine> engine);

} // namespace foxwedge::compose
