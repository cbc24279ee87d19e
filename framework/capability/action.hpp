// One action of a capability by its tool id, without an agent: what `foxwedge call`, resumed
// approvals and embedders use. Governed by the host's catalogue like every other call.
#pragma once
#include <string>
#include <string_view>

#include "agent/world.hpp"
#include "contracts/tool.hpp"
#include "run/run.hpp"

namespace foxwedge::capability {

/// Runs `tool_id` with `arguments` as the steps `call:tools`, `call:approval` (where the catalogue
/// asks for one) and `call:tool`. What the caller can put right is a result with is_error and
/// details.code: `denied` (disabled, or a person said no), `input_validation`, what the tool itself
/// says. Errors: `unregistered_tool` (not in the catalogue), `unknown_component`, what ends a step
/// for good. Unwinds as every step does.
Result<ToolResult> run_capability_action(run::Run&, std::string_view tool_id, const Json& arguments,
                                         agent::World&);

} // namespace foxwedge::capability
