// The children of a run as people read them: by phase, in the order of their starts.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "journal/engine.hpp"
#include "timeline.hpp"

namespace foxwedge::cli {

/// Rows for the children that one lane of a run has started, those of scripts below them too.
std::vector<TimelineRow> child_rows(journal::Engine&, const std::vector<journal::Record>&,
                                    const std::string& lane, Time now, int depth = 1);

/// The children whose ends are new on record, for who looks again and again: each below its phase,
/// whose title comes again where another phase came between.
class EndedChildren {
public:
    std::vector<TimelineRow> fresh(journal::Engine&, const std::vector<journal::Record>&, Time now);

private:
    std::set<std::string> told_; ///< runs
    std::string phase_;
};

/// What is on record of scripts that this run called for: run-start, agent-start, agent-end,
/// run-end, those of one script together.
Result<JsonArray> workflow_records(journal::Engine&, const std::string& run);

} // namespace foxwedge::cli
