// Tools written in C++: a definition and the code behind it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "contracts/options.hpp"
#include "run/run.hpp"

namespace foxwedge::agent {

/// One call of a C++ tool. Lives until the handler returns.
struct ToolCall {
    const JsonObject& arguments; ///< checked where a schema is listed, else as the model wrote them
    Call& call;                  ///< stop, deadline, idempotency key, scope, store
    run::StepCall& step;         ///< checkpoint; `step.lane()` for children and questions
};

/// Gives the result; what a model may read and correct is a result with is_error. An Error follows
/// the table in docs/agents. An exception fails the step for good. Any thread.
using Handler = std::function<Result<ToolResult>(ToolCall&)>;

/// Exactly one of `handler` and `options.workflow`.
struct Tool {
    ToolOptions options;
    Handler handler;
    /// Shows the model less than is recorded; gets the structured content, else the text.
    std::function<Result<Json>(const Json& output)> to_model_output;
};

/// A tool of the options and a handler that gives any JSON value: text as it is, everything else as
/// structured content too.
Tool tool(ToolOptions, std::function<Result<Json>(const JsonObject& arguments)>);
/// The same with everything that a handler can use.
Tool tool(ToolOptions, Handler);
/// A tool backed by a workflow of this host (`app` empty) or of another.
Tool workflow_tool(ToolOptions);

/// `value` as a tool's result: a text as text, anything else as structured content and its text.
ToolResult result_of(const Json& value);

/// Errors `invalid_tool`: name, exactly one of handler and workflow, `app` only with a workflow, a
/// contradiction about approval.
Status check_tool(const Tool&);

} // namespace foxwedge::agent
