// The workflow capabilities for embedders: native tools for an agent in C++, which of them there
// are, and whether one can be used here. Described once by their plugins; `foxwedge mcp` serves the
// same descriptions.
//
//     Agent agent;
//     ToolApprovalGate gate(world);
//     FOXWEDGE_TRY(tools, create_capability_tools(world, {.approve = gate.as_approve()}));
//     agent.tools = std::move(tools);
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool.hpp"
#include "agent/world.hpp"
#include "capability/approval_gate.hpp"

namespace foxwedge::capability {

struct CapabilityOptions {
    /// Asked before each call. Left out: the embedder answers for the tools.
    Approve approve;
    bool global_memory = false; ///< offers cross-session memory
};

/// True for the tool ids of the workflow capabilities, whatever this host offers of them.
bool is_capability_tool(std::string_view tool_id);

/// The tool ids that a run is offered: declared and enabled in the catalogue, available, memory
/// only where it is asked for. In a fixed order.
std::vector<std::string> list_capability_tool_ids(const agent::World&, bool global_memory = false);

/// False for an id that names no capability's tool, and where it cannot work here: its plugin is
/// missing, or the host bridge was not injected or has an unfit address.
bool is_capability_available(std::string_view tool_id, const agent::World&);

/// The tools of that list, named by their ids. Errors: those of loading a plugin.
Result<std::vector<agent::Tool>> create_capability_tools(agent::World&, CapabilityOptions);

} // namespace foxwedge::capability
