// A tool backed by a workflow: a child run.
#pragma once
#include "agent/calls/plan.hpp"

namespace foxwedge::agent {

/// The arguments are the child's input, its `final` the result. A child that ends otherwise is an
/// error result that names run and reason. Unwinds while the child is under way.
Result<ToolResult> workflow_result(Session&, const PlannedCall&, run::StepCall&);

/// The parent's labels without its prompt, with the agents around the child ("agentPath").
std::string labels_of_child(const journal::RunHead& parent, const std::vector<std::string>& path);

/// Pure: what a child's end is to the model.
ToolResult result_of_child(const run::ChildResult&);

} // namespace foxwedge::agent
