// Resources and prompts of a server as tools that a model can call.
#pragma once
#include <vector>

#include "contracts/tool.hpp"
#include "mcp/client.hpp"

namespace foxwedge::mcp {

/// The tools for what the spec allows and the session offers: list_resources, read_resource,
/// list_prompts, get_prompt.
std::vector<ToolDefinition> virtual_tools(const ServerSpec&, const Session&);

/// True for the name of one that the spec allows. A tool of the server that is called the same is
/// hidden by it.
bool is_virtual_tool(const ServerSpec&, std::string_view name);

/// Runs one of them. What the model can put right is a result with is_error.
Result<ToolResult> run_virtual_tool(Client&, std::string_view name, std::string_view arguments_json,
                                    const Until&);

} // namespace foxwedge::mcp
