// What an MCP server offers, asked once per run and recorded; a server that changes its tools later
// changes nothing for that run.
#pragma once
#include <string>
#include <vector>

#include "agent/approval/resolution.hpp"
#include "agent/world.hpp"

namespace foxwedge::agent {

struct Discovered {
    struct One {
        ToolDefinition definition;
        Stated stated; ///< the predicate's answer, or the entry's
    };
    std::string server;
    std::vector<One> tools; ///< after the allow-list, in the server's order
    std::vector<ToolList::Dropped> dropped;
    std::vector<std::string> warnings;
    std::vector<PromptSection> sections;
    std::string unavailable; ///< why an optional server contributes nothing
};

/// The step `<id>:mcp:<server>:tools`.
Result<Discovered> discover(run::Run&, std::string_view id, const McpServerUse&, const RetryPolicy&,
                            World&);

/// Applies allow-list and `requiresApproval` to a server's list: the step's value. Pure.
Json discovery_record(const ToolList&, const std::optional<std::vector<std::string>>& allowed,
                      const McpApproval&, RuleLanguage*);
Result<Discovered> discovered_from_json(std::string_view server, const Json& record);

} // namespace foxwedge::agent
