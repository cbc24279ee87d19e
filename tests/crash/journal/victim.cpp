// Commits without end, for tests that stop or kill it: crash-journal-victim JOURNAL
#include <cstdio>

#include "journal/lmdb_engine.hpp"

using namespace foxwedge;
using namespace foxwedge::journal;

int main(int, char** argv) {
    JournalOptions options;
    options.path = argv[1];
    auto engine = open_journal(options);
    if (!engine) return 1;
    NewRun run;
    run.host = "h";
    run.workflow = "w";
    const auto started = (*engine)->start(run);
    if (!started) return 1;
    auto held = (*engine)->open(started->run);
    if (!held) return 1;
    std::puts("working");
    std::fflush(stdout);
    for (std::uint32_t i = 0;; ++i) {
        Completion c;
        c.key = {"", i, "step " + std::to_string(i), "task", {}};
        c.outcome = Outcome{std::nullopt, "1", false};
        Batch b;
        b.completions.push_back(std::move(c));
        if ((*held)->commit(std::move(b)).verdicts.at(0) != Verdict::recorded) return 2;
    }
}
