// An agent's tools before any run: for lists, consoles and MCP clients. From the very arrays that
// agent() gets; contacts nothing. Pure.
#pragma once
#include <vector>

#include "agent/agent.hpp"

namespace foxwedge::agent {

/// What a tool says of itself, as every dialect renders it.
ToolDefinition definition_of(const Tool&);

/// {"tools": [{name, title?, description, inputSchema, outputSchema?, annotations?,
/// requiresApproval?, approval?}], "mcpServers": [{"name"}]}: own tools whole, plugins' by id,
/// servers unexpanded. Advisory: no call is allowed, refused or gated by it.
Json tool_manifest(const Agent&);

/// The same tools as MCP definitions (a tools/list result's `tools`). Approval is never emitted: no
/// client at the other end could honour it.
class McpEmitter {
public:
    JsonArray emit(const std::vector<Tool>&) const;
};

} // namespace foxwedge::agent
