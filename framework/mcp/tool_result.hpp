// What came back from tools/call, as the agent loop needs it. Pure.
#pragma once
#include "base/json.hpp"
#include "contracts/tool.hpp"
#include "mcp/message.hpp"

namespace foxwedge::mcp {

/// A result as it is. `isError` becomes the error `tool_error` (done_with_error) with the result in
/// details.toolResult; a result without content (`{}`, null) a tool error `empty_result` for the
/// model; a structured result without text gets its JSON as text. `repaired`: invalid UTF-8 was
/// replaced. What breaks the protocol is `invalid_response` (permanent).
Result<ToolResult> read_tool_result(Json result, bool repaired);

/// -32602 is a tool error for the model (`invalid_params`); any other code the error `rpc_error`
/// (done_with_error) with {"code", "data"?} in details.
Result<ToolResult> read_tool_error(const RpcError&);

/// The tool error that the model sees in place of `error` where the server's `onToolError` is
/// "return": its own result where it gave one.
ToolResult returned_to_model(const Error& error);

} // namespace foxwedge::mcp
