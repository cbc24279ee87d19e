// Children of this host: started through the launcher, watched by one thread, never left behind.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/result.hpp"
#include "base/stop.hpp"
#include "process/command.hpp"
#include "process/loop.hpp"

namespace foxwedge::process {

/// One program with its whole tree. Any thread, except that `out` has one reader at a time. The
/// last owner to let go starts the stop ladder; the supervisor sees it through.
class Child {
public:
    virtual ~Child() = default;

    /// Writes as much as the pipe takes now: the number of bytes (0: full), or an errno negated
    /// (-EPIPE once stdin is closed on either side).
    virtual ssize_t write(std::string_view bytes) = 0;
    /// For poll only: the pipe's descriptor, -1 once closed.
    virtual int in() const = 0;
    /// Non-blocking; end of file once every process of the tree has closed it. Closed with the
    /// child.
    virtual int out() const = 0;
    virtual void close_in() = 0;

    /// Starts the stop ladder and returns. Again: nothing.
    virtual void stop() = 0;
    /// SIGKILL for the whole tree at once.
    virtual void kill() = 0;

    /// How the program ended, as soon as that is known; waits for it at most as long as told.
    virtual std::optional<Exit> ended() const = 0;
    virtual std::optional<Exit> ended_within(const Until&) const = 0;
    /// True once the tree is gone and reaped; waits for it.
    virtual bool gone_within(const Until&) const = 0;

    /// The last 64 KiB of stderr, whatever bytes they are.
    virtual std::string stderr_tail() const = 0;
    /// The program's own id, 0 until the launcher has told it.
    virtual pid_t pid() const = 0;
};

/// Starts children and looks after them: drains stderr, takes in exits, runs the stop ladder.
/// Ignores SIGPIPE in the process where its action was the default: a child may close its stdin.
class Supervisor {
public:
    /// An empty `launcher` is found by find_libexec at the first start.
    explicit Supervisor(std::string launcher = {}, Ladder ladder = {});
    /// Stops every child and returns when all are gone: at most the ladder's time and a little.
    ~Supervisor();
    Supervisor(const Supervisor&) = delete;
    Supervisor& operator=(const Supervisor&) = delete;

    /// Returns once the launcher runs; whether the program could be executed shows in `ended`.
    /// Fails with `not_found`, `spawn_failed` (both not_done), `launcher_missing`. Any thread.
    Result<std::shared_ptr<Child>> start(const Command&);

    /// The thread that watches the children, for what else must be watched while nobody waits.
    Loop& loop();

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace foxwedge::process
