// A run and its children in one process, as a command line serves them.
#pragma once
#include <functional>
#include <memory>
#include <string_view>

#include "run/run.hpp"

namespace foxwedge::run {

struct TreeOptions {
    journal::OpenOptions open; ///< of the run itself
    /// The code of a run of the tree; an error fails that run. Any thread.
    std::function<Result<Workflow>(const journal::RunHead&)> workflow;
    EventSink events; ///< of all runs of the tree; several threads
    Log* log = nullptr;
    Pool* pool = nullptr;
    bool stay_for_decisions = false; ///< somebody answers in this process: gates do not end it
    std::function<bool(const journal::RunHead&)> brief; ///< see ExecuteOptions; null: none
};

/// Opens `run`, executes it here on the calling thread and its children on threads of the engine,
/// and stays for timers and children until the run has ended or nothing but decisions is left in
/// its tree (`parked`, `waiting_for_decision_only`). A run that has ended already gives its result.
/// Errors are those of Engine::open (`run_held`, `not_found`, `run_stuck`, …).
Result<Finished> run_tree(journal::Engine&, std::string_view run, const TreeOptions&);
/// The same for a run that is held already.
Finished run_tree(journal::Engine&, std::unique_ptr<journal::Activation>, const TreeOptions&);

/// How an ended run ended, as execute() would have said.
Finished finished_of(const journal::RunHead&);

} // namespace foxwedge::run
