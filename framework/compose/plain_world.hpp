// The part of a World that a configuration alone gives.
#pragma once
#include "agent/world.hpp"
#include "config/host_config.hpp"

namespace foxwedge::compose {

/// What a World says without loading or contacting anything. `config` outlives it.
agent::World plain_world(const config::HostConfig& config);

} // namespace foxwedge::compose
