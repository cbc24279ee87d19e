// Served calls that wait for a person, as MCP tasks: a task is the call's run.
#pragma once
#include "compose/host.hpp"
#include "mcp/service.hpp"

namespace foxwedge::compose {

/// What the client of a call hears of its end: the tool's own result, or as one why there is none.
Result<ToolResult> result_of_call(const std::string& run, bool succeeded, const journal::Outcome&);

/// What a client is told of the run of its call: {taskId, status, …}, and with its end the result.
/// A run whose decision has been taken and that nobody goes on with goes on here. Error
/// `not_found`.
Result<Json> task_state(Host&, std::string_view run, std::string_view recognised,
                        const std::string& default_user);

/// Lets clients ask for their tasks, listen to them and cancel them. `host` outlives the service.
void serve_tasks(Host& host, const std::string& default_user, mcp::Service& service);

} // namespace foxwedge::compose
