// "The call ended with": what follows from a tool's answer, as data (docs/agents). Pure.
#pragma once
#include <string>
#include <vector>

#include "agent/budget/spent.hpp"
#include "agent/calls/tool_table.hpp"
#include "contracts/message.hpp"
#include "contracts/tool.hpp"

namespace foxwedge::agent {

/// What a tool's step records: the whole result, and what the model sees of it.
struct CallRecord {
    std::optional<ToolResult> result;        ///< none: the tool did not run
    std::optional<std::vector<Block>> model; ///< where it is not simply the result's content
    std::string refused; ///< "unknown_tool", "invalid_arguments", "guardrail", "approval", …
    Json arguments;      ///< what ran, where that is not what the model wrote; else null
    std::vector<std::string> warnings;
    /// What models cost that were asked in its middle. Their steps have it as their usage: it is
    /// repeated here for who has only the call's own record.
    Spent sampled;
    bool tool_error = false;

    /// What goes to the model.
    std::vector<Block> shown() const;
};
Json to_json(const CallRecord&);
/// Reads a record back; any other JSON value is one that a person gave as the tool's result.
CallRecord call_record_from_json(const Json&, bool tool_error);

/// A refusal: the tool did not run, the model reads why.
CallRecord refusal(std::string code, std::string text);

/// Either a record (the step succeeds) or an error (the step fails; its certainty decides about
/// repeating).
Result<CallRecord> ending(Result<ToolResult> answer, Origin, bool return_errors);

/// Content blocks as a model gets them; structured content as text where there is no content.
std::vector<Block> blocks_of(const ToolResult&);

} // namespace foxwedge::agent
