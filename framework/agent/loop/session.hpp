// What one agent keeps in memory while its run executes; all of it follows from options and
// records.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.hpp"
#include "agent/calls/argument_check.hpp"
#include "agent/calls/call_ids.hpp"
#include "agent/calls/freeze.hpp"
#include "agent/guard/guards.hpp"
#include "agent/loop/loop.hpp"

namespace foxwedge::agent {

class Session {
public:
    /// Compiles the approval rules: `invalid_rule` for one that cannot be.
    static Result<std::unique_ptr<Session>> make(run::Run&, std::string id, const Agent&,
                                                 std::vector<Tool> own, Frozen, World&);

    const std::string id;
    const Agent& agent;
    const AgentOptions& options;
    World& world;
    const ToolTable table;
    const Scope scope;
    const Guards guards;
    SchemaCache schemas;
    WireIds wire_ids;
    std::vector<std::string> path; ///< ids of agents down to this one

    const Tool* own_tool(const std::string& tool_id) const;
    /// What the options say about a tool beyond its definition, or null.
    const ToolOptions* settings(const std::string& tool_id) const;
    const CompiledApproval* approval(const std::string& tool_id) const;
    const CompiledApproval* shadow(const std::string& tool_id) const;
    RetryPolicy retry_for(const std::string& tool_id) const;
    RetryPolicy retry() const { return options.retry.value_or(world.retry); }
    Result<std::shared_ptr<Provider>> provider() const;

    /// Digest of all that stands before the exchanges in a request.
    Digest head() const { return head_; }
    /// The request's constant part; messages are filled in per turn.
    GenerateRequest& request() { return request_; }

private:
    Session(run::Run&, std::string id, const Agent&, std::vector<Tool> own, Frozen, World&);
    Status compile_rules();

    std::vector<Tool> own_;
    std::map<std::string, CompiledApproval> approvals_, shadows_;
    GenerateRequest request_;
    Digest head_{};
};

} // namespace foxwedge::agent
