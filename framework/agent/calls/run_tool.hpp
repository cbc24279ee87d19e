// The tool's own step.
#pragma once
#include "agent/calls/ending.hpp"
#include "agent/calls/plan.hpp"

namespace foxwedge::agent {

struct ToolStep {
    CallRecord record;
    std::string recorded; ///< the step's value
    Spent spent; ///< by the workflow behind it, and by models that were asked in its middle
};

/// Runs the tool, or records why it did not run (`call.refusal`). `given`: a person answered in the
/// tool's place.
Result<ToolStep> tool_step(Session&, run::Run& lane, const PlannedCall&,
                           const std::optional<Json>& given);

/// What the options make of a produced result before the model sees it; nothing without a
/// projection. Errors: `projection_failed`.
Result<std::optional<std::vector<Block>>> projected(const Session&, const PlannedCall&,
                                                    const ToolResult&);

} // namespace foxwedge::agent
