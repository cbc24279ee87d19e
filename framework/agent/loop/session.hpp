// What one agent keeps in memory while its run executes; all of it follows from options and
// records.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.hpp"
#include "agent/budget/ledger.hpp"
#include "agent/calls/argument_check.hpp"
#include "agent/calls/call_ids.hpp"
#include "agent/calls/freeze.hpp"
#include "agent/context/meter.hpp"
#include "agent/context/view.hpp"
#include "agent/guard/guards.hpp"
#include "agent/loop/loop.hpp"

namespace foxwedge::agent {

/// How a value in the shape of `output` is asked for.
enum class OutputWay : unsigned char {
    text,        ///< no shape
    constrained, ///< the provider constrains every answer
    afterwards,  ///< it can only where no tools are offered: asked anew at the end
    tool,        ///< through the arguments of `structured_output`
};
inline constexpr std::string_view output_tool = "structured_output";

class Session {
public:
    /// Errors: `invalid_rule` for an approval rule or a projection that cannot be compiled,
    /// `output_unsupported` where the provider cannot constrain its answer, `missing_price`.
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
    Context context;
    Meter meter;
    OutputWay output = OutputWay::text;
    const Ledger ledger; ///< the budgets over this agent, its own too
    Spent extra;         ///< of model calls beside the turn's own, until the turn takes it
    std::vector<std::string> path; ///< ids of agents down to this one

    const Tool* own_tool(const std::string& tool_id) const;
    /// What the options say about a tool beyond its definition, or null.
    const ToolOptions* settings(const std::string& tool_id) const;
    const CompiledApproval* approval(const std::string& tool_id) const;
    const CompiledApproval* shadow(const std::string& tool_id) const;
    /// Its `toModelOutput` in the options, or null.
    const CompiledRule* projection(const std::string& tool_id) const;
    RetryPolicy retry_for(const std::string& tool_id) const;
    RetryPolicy retry() const { return options.retry.value_or(world.retry); }
    Result<std::shared_ptr<Provider>> provider() const;

    /// Digest of all that stands before the exchanges in a request.
    Digest head() const { return head_; }
    /// True for an adapter that has tool calls as text only.
    bool speaks_text() const { return !table.traits.native_transcript || !table.traits.tools; }

    /// The request, its constant part filled in.
    GenerateRequest& request() { return request_; }
    /// Brings the request's messages up to date.
    void fill_messages(const Transcript&);
    /// Takes over what an earlier session of the same run has learnt.
    void go_on_from(Session& earlier);

private:
    Session(run::Run&, std::string id, const Agent&, std::vector<Tool> own, Frozen, World&);
    Status compile_rules();
    Status choose_output();
    Status check_budget() const;
    void tell_tools_in_text();

    std::vector<Tool> own_;
    std::map<std::string, CompiledApproval> approvals_, shadows_;
    std::map<std::string, std::shared_ptr<const CompiledRule>> projections_;
    GenerateRequest request_;
    Digest head_{};
    std::size_t filled_ = 0; ///< groups that stand in the request's messages
};

} // namespace foxwedge::agent
