// A run with one of everything that can be interrupted: retries, parallel steps, a gate, a call
// that must not be repeated unasked, a container with a checkpoint and steps of its own, a timer, a
// child. Its value and its effects on the store are the same however often its host died.
#pragma once
#include <functional>
#include <string>

#include "run/run.hpp"

namespace foxwedge::run {

struct Workload {
    /// Called at the start of each body with "<run>/<step>".
    std::function<void(const std::string& key)> on_body = [](const std::string&) {};

    Workflow parent() const;
    Workflow child() const;
    /// What the parent ends with.
    static const char* final_value();
    /// Collection and key of the counters: "adds" counts each effect once.
    static const char* collection() { return "workload/project/test"; }
    static int adds() { return 5; }
    /// What a person answers if asked what the once step did.
    static const char* once_value() { return "40"; }
};

} // namespace foxwedge::run
