// A tool backed by a workflow: a child run.
#pragma once
#include "agent/calls/plan.hpp"

namespace foxwedge::agent {

/// The arguments are the child's input, its `final` the result. A child that ends otherwise is an
/// error result that names run and reason; one that a budget over the caller has stopped is that
/// refusal. Unwinds while the child is under way. A workflow of an app is a run of that host, which
/// `call` waits for.
Result<ToolResult> workflow_result(Session&, const PlannedCall&, run::StepCall&, Call& call,
                                   Spent& of_children);

/// The parent's labels without its prompt, with the agents around the child ("agentPath") and,
/// where the calling agent has a budget, whose it is ("budgets").
std::string labels_of_child(const journal::RunHead& parent, const std::vector<std::string>& path,
                            bool budget);

/// The configuration that is in force for what a lane starts now.
std::string config_of_child(const run::Run& lane);

/// Pure: what a child's end is to the model.
ToolResult result_of_child(const run::ChildResult&);

} // namespace foxwedge::agent
