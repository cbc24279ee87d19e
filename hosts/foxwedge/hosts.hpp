// Composing a host: from a config file, or from what a run remembers.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli.hpp"
#include "compose/host.hpp"
#include "journals.hpp"

namespace foxwedge::cli {

/// `sets`: key=value. Warnings go to standard error; mistakes are one `invalid_config`.
Result<std::unique_ptr<compose::Host>> host_of_file(const Globals&, const std::string& path,
                                                    const std::vector<std::string>& sets = {},
                                                    mcp::Tap wire = {});
/// Takes the journal in which the run was found.
Result<std::unique_ptr<compose::Host>> host_of_run(const Globals&, FoundRun&);
/// The same, but of the configuration in `file` ("": what is in force for the run), with `sets` in
/// it, where `budget.usd` is short for the budget of the run's agent.
Result<std::unique_ptr<compose::Host>> host_of_changed_run(const Globals&, FoundRun&,
                                                           const std::string& file,
                                                           const std::vector<std::string>& sets);

} // namespace foxwedge::cli
