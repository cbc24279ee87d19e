// One action of a capability by its tool id, without an agent: what `foxwedge call`, resumed
// approvals and embedders use. Governed by the host's catalogue like every other call.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "agent/calls/argument_check.hpp"
#include "agent/world.hpp"
#include "contracts/tool.hpp"
#include "run/run.hpp"

namespace foxwedge::capability {

/// A tool as a server has told its clients of it, for all the calls that they make. Any thread.
struct ToldTool {
    ToldTool(std::string tool_id, ToolDefinition);
    const std::string id;
    const std::shared_ptr<const ToolDefinition> tool; ///< as its component names it
    const std::string recorded;                       ///< its definition, as a run records it
    agent::SchemaCache schemas;
};

/// Runs `tool_id` with `arguments` as the steps `call:tools`, `call:approval` (where the catalogue
/// asks for one) and `call:tool`. What the caller can put right is a result with is_error and
/// details.code: `denied` (disabled, or a person said no), `input_validation`, what the tool itself
/// says. Errors: `unregistered_tool` (not in the catalogue), `unknown_component`, what ends a step
/// for good. Unwinds as every step does. With `told` the component is not asked for its list again.
Result<ToolResult> run_capability_action(run::Run&, std::string_view tool_id, const Json& arguments,
                                         agent::World&, ToldTool* told = nullptr);

} // namespace foxwedge::capability
