// Ctrl-Z and commits: a process that is stopped inside a write transaction stops every other
// process that shares the journal. So SIGTSTP waits for the commit in progress.
#pragma once

namespace foxwedge::journal {

/// Takes over SIGTSTP unless the program has a handler of its own. Once per process is enough.
void make_suspend_wait_for_commits();

/// While one exists the process is not stopped by SIGTSTP; a stop that is asked for comes when the
/// last one goes. Nothing new begins while the process is about to stop.
class SuspendGuard {
public:
    SuspendGuard();
    ~SuspendGuard();
    SuspendGuard(const SuspendGuard&) = delete;
    SuspendGuard& operator=(const SuspendGuard&) = delete;
};

} // namespace foxwedge::journal
