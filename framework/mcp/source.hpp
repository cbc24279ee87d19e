// An MCP server as a source of tools.
#pragma once
#include "contracts/tool.hpp"
#include "mcp/client.hpp"

namespace foxwedge::mcp {

/// Lists and runs over `client`; nothing is started before the first list or run. A call's progress
/// goes to its events; its step key travels as the idempotency key.
std::unique_ptr<ToolSource> tool_source(std::shared_ptr<Client> client);

} // namespace foxwedge::mcp
