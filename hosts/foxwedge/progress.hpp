// What a run does while it does it, as lines on standard error.
#pragma once
#include <mutex>
#include <set>
#include <string>

#include "agent/world.hpp"
#include "cli.hpp"
#include "run/run.hpp"

namespace foxwedge::cli {

/// Any thread.
class Progress {
public:
    explicit Progress(const Globals& globals) : quiet_(globals.quiet) {}
    void operator()(const run::Event&);
    /// What a tool or a script tells of its progress; anything else is not for here.
    void operator()(const agent::StepEvent&);

private:
    const bool quiet_;
    std::mutex mutex_;
    std::set<std::string> started_; ///< a run that goes on after an answer is not announced again
};

} // namespace foxwedge::cli
