// A tool call to its end, however many rounds it takes: the server asks for input, or goes on with
// it as a task.
#pragma once
#include "contracts/tool.hpp"
#include "mcp/client.hpp"
#include "mcp/negotiation.hpp"

namespace foxwedge::mcp {

/// Calls `name` as Client::call does. What the server asks goes to `call.waits->questions()`; what
/// a later attempt needs (the round's questions and `requestState`, a task's id) is kept there
/// before anybody is asked. Error `parked`: come again; `unanswered`: nobody answered within the
/// spec's hold. A server that no longer takes its own state, or no longer knows its task, fails the
/// call as `unknown`.
Result<ToolResult> call_in_rounds(Client& client, std::string_view name,
                                  std::string_view arguments_json, Call& call);

} // namespace foxwedge::mcp
