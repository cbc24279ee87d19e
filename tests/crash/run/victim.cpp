// A process that executes one run over LMDB and dies where it is told to:
//   victim FOLDER RUN LOG before|after|none N    SIGKILL before or after its n-th write
//   victim FOLDER RUN LOG stop N                 SIGSTOP itself inside the n-th body, then goes on
//   victim FOLDER RUN LOG body N                 SIGKILL inside its n-th body
//   victim FOLDER RUN LOG noexcept 0             runs the workflow below a noexcept function
// It logs "start <key>" for each body. Ends 0 when the run has ended, 3 when it is parked, 8 when
// another process holds it, 9 when its lease was lost.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "../../support/forwarding.hpp"
#include "journal/lmdb_engine.hpp"
#include "run/tree.hpp"
#include "workload.hpp"

namespace {

using namespace foxwedge;

std::string when;
long target = 0;
std::atomic<long> writes{0}, bodies{0};
int log_file = -1;
/// Held shared by every write. A process that was stopped inside LMDB's write transaction would
/// hold the file's only writer lock, and the test waits for others to write.
std::shared_mutex writing;

void die_at(const char* moment, long n) {
    if (when == moment && n == target) ::kill(::getpid(), SIGKILL);
}

template <class Write>
auto deadly(const Write& write) {
    const std::shared_lock lock(writing);
    const long n = ++writes;
    die_at("before", n);
    auto done = write();
    die_at("after", n);
    return done;
}

/// Counts what becomes durable, and dies before or after it.
class Deadly final : public run::Forwarding {
public:
    using Forwarding::Forwarding;

    journal::Committed commit(journal::Batch batch) override {
        return deadly([&] { return Forwarding::commit(std::move(batch)); });
    }
    Status park(const std::vector<journal::Wait>& waits) override {
        return deadly([&] { return Forwarding::park(waits); });
    }
    Status finish(journal::RunStatus status, const journal::Outcome& outcome) override {
        return deadly([&] { return Forwarding::finish(status, outcome); });
    }
};

} // namespace

int main(int count, char** words) {
    if (count < 6) return 2;
    const std::string folder = words[1], run = words[2];
    log_file = ::open(words[3], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    when = words[4];
    target = std::atol(words[5]);

    journal::JournalOptions options;
    options.path = folder;
    options.map_limit = std::size_t{1} << 30;
    auto engine = journal::open_journal(options);
    if (!engine) return std::fprintf(stderr, "%s\n", engine.error().message.c_str()), 7;

    run::Workload load;
    load.on_body = [](const std::string& key) {
        const std::string line = "start " + key + "\n";
        if (::write(log_file, line.data(), line.size()) < 0) ::_exit(7);
        const long n = ++bodies;
        if (when == "stop" && n == target) {
            const std::unique_lock no_write(writing);
            ::raise(SIGSTOP);
        }
        die_at("body", n);
    };
    auto held = (*engine)->open(run);
    if (!held) {
        if (held.error().code == "run_finished") return 0;
        std::fprintf(stderr, "%s\n", held.error().message.c_str());
        return held.error().code == "run_held" ? 8 : 7;
    }
    const bool child = (*held)->run().workflow == "child";
    Deadly deadly(std::move(*held));
    run::ExecuteOptions execute_options;
    execute_options.stay_for_timers = true;
    auto workflow = child ? load.child() : load.parent();
    if (when == "noexcept")
        workflow = [inner = workflow](run::Run& lane) noexcept { return inner(lane); };
    const auto end = run::execute(deadly, workflow, execute_options);
    if (end.error) std::fprintf(stderr, "%s\n", end.error->message.c_str());
    switch (end.how) {
    case run::Ended::parked:
        return 3;
    case run::Ended::lost:
        return 9;
    case run::Ended::fault:
    case run::Ended::replay_mismatch:
        return 7;
    default:
        return 0;
    }
}
