// A tool backed by a workflow: a child run.
#pragma once
#include "agent/calls/plan.hpp"

namespace foxwedge::agent {

/// The arguments are the child's input, its `final` the result. A child that ends otherwise is an
/// error result that names run and reason. Unwinds while the child is under way.
Result<ToolResult> workflow_result(Session&, const PlannedCall&, run::StepCall&);

/// Pure: what a child's end is to the model.
ToolResult result_of_child(const run::ChildResult&);

} // namespace foxwedge::agent
