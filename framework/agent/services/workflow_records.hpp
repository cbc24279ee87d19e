// What people see of a script's run in the run that called for it: which agents it has started,
// and how each ended. Observed only: no execution reads it. Each record is written in the
// transaction that makes true what it says, so none is missing and none says too much.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/world.hpp"
#include "base/json.hpp"
#include "run/run.hpp"

namespace foxwedge::agent {

/// A run of a script for an agent is the workflow "script:<agent>", its input {"meta", "script",
/// "args"}; no agent's name has a colon.
inline constexpr std::string_view script_prefix = "script:";

/// Where the records of a calling run lie, in order of their keys.
std::string workflow_records(std::string_view calling_run);

/// Record `n` of a script's run: 0 is run-start; `record_of_end` comes after all others.
journal::Effect workflow_record(std::string_view calling_run, std::string_view script_run,
                                std::uint32_t n, JsonObject record);
inline constexpr std::uint32_t record_of_end = 999'999'999;

/// Items of a collection in order of their keys, as StoreReader::scan.
using ScanStore = std::function<Result<std::vector<journal::StoreItem>>(
    std::string_view collection, std::string_view prefix, std::string_view after, int limit)>;

/// What closes the records of a script's run that has ended without taking the ends of its agents:
/// an agent-end for each agent-start that has none, and the run-end. Nothing where it had not
/// begun, or where they are closed.
std::vector<journal::Effect> closing_records(const ScanStore& scan, std::string_view calling_run,
                                             std::string_view script_run,
                                             std::string_view stop_reason);

/// Writes that for the scripts of a tree that have ended so and whose agents are quiet: where the
/// calling run has ended too nobody else does. For who has cancelled or executed the tree.
Status close_cancelled(journal::Engine& engine, std::string_view root);

/// The calling run that a script's run has its records in, "" where it has none.
std::string calling_run_of(const journal::RunHead& script_run);

} // namespace foxwedge::agent
