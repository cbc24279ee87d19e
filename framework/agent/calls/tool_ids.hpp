// How tools are called: "<component or server>_<tool>". Pure.
#pragma once
#include <set>
#include <string>
#include <string_view>

namespace foxwedge::agent {

/// The id of a capability's tool. The workflow tools alone go by names of
/// their own, "workflow", "workflow_poll" and "workflow_cancel", whatever models call them.
std::string capability_tool_id(std::string_view component, std::string_view tool);
/// The component that a tool id (or "<component>_*") names: what stands before the first '_'.
std::string_view component_of(std::string_view tool_id);

/// What models call a capability's tool: its id, but for the workflow tools, whose name is
/// configured.
std::string shown_tool_name(std::string_view component, std::string_view tool);

/// The id of an MCP server's tool: each foreign character of "<server>_<raw name>" becomes '_';
/// where that changed something, is too long or is taken, it is cut to 51 characters plus '_' and
/// 12 hex digits of SHA-256 of "<server>/<raw name>".
std::string mcp_tool_id(std::string_view server, std::string_view raw_name,
                        const std::set<std::string, std::less<>>& taken);

} // namespace foxwedge::agent
