// The tasks of a config's agents as MCP prompts.
#pragma once
#include "config/host_config.hpp"
#include "mcp/service.hpp"

namespace foxwedge::compose {

/// One prompt for each agent with a `prompt`: what it says of the input (`${input.order.id}`)
/// becomes arguments ("order.id"). `config` outlives the service.
void serve_prompts(const config::HostConfig& config, mcp::Service& service);

} // namespace foxwedge::compose
