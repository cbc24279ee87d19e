// From options to the frozen list: asks plugins, servers and the provider once, in steps.
#pragma once
#include <string_view>
#include <vector>

#include "agent/agent.hpp"
#include "agent/calls/discovery.hpp"
#include "agent/calls/tool_table.hpp"

namespace foxwedge::agent {

struct Frozen {
    ToolTable table;
    Digest digest{}; ///< of the record
};

/// The steps `<id>:mcp:<server>:tools`, with what guardrails say of each tool's text.
Result<std::vector<Discovered>> discover_all(run::Run&, std::string_view id, const Agent&, World&);
/// The step `<id>:tools`. `own`: all C++ and workflow-backed tools.
Result<Frozen> freeze_tools(run::Run&, std::string_view id, const Agent&,
                            const std::vector<Tool>& own, const std::vector<Discovered>& servers,
                            World&);

/// The provider's name for an agent: its own, or the host's.
std::string provider_name(const Agent&, const World&);

} // namespace foxwedge::agent
