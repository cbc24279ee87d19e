// What one execution of a run uses of the host, kept from its first use: a plugin that is replaced
// meanwhile serves other runs, and an MCP server of `scope: "run"` is the run's own.
#pragma once
#include "agent/world.hpp"

namespace foxwedge::compose {

/// The same world, its look-ups answered once. What `world` points to outlives it.
agent::World world_of_run(const agent::World& world);

} // namespace foxwedge::compose
