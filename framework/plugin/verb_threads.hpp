// Threads on which verbs run when their caller must be able to leave without them. They come and go
// with demand.
#pragma once
#include <functional>
#include <memory>

namespace foxwedge::plugin {

class VerbThreads {
public:
    VerbThreads();
    /// Sends idle threads home and waits for them; one that is still inside a plugin is left
    /// behind.
    ~VerbThreads();
    VerbThreads(const VerbThreads&) = delete;
    VerbThreads& operator=(const VerbThreads&) = delete;

    /// Runs `work` soon, on a thread of its own with more than 1 MiB of stack. False if the system
    /// gives no thread. Any thread.
    bool run(std::function<void()> work);

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

} // namespace foxwedge::plugin
