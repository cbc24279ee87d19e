// The children of a run as people read them: by phase, in the order of their starts.
#pragma once
#include <vector>

#include "journal/engine.hpp"
#include "timeline.hpp"

namespace foxwedge::cli {

/// Rows for the children that one lane of a run has started, those of scripts below them too.
std::vector<TimelineRow> child_rows(journal::Engine&, const std::vector<journal::Record>&,
                                    const std::string& lane, Time now, int depth = 1);

/// What is on record of scripts that this run called for: run-start, agent-start, agent-end,
/// run-end, those of one script together.
Result<JsonArray> workflow_records(journal::Engine&, const std::string& run);

} // namespace foxwedge::cli
