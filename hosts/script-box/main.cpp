// foxwedge's script box: runs one workflow script for the host that started it, and can do nothing
// else. The protocol is in README.md.
#include <charconv>
#include <cstdio>
#include <string>
#include <unistd.h>

#include "engine.hpp"
#include "line.hpp"
#include "report.hpp"
#include "sandbox.hpp"
#include "slice.hpp"

namespace {

using namespace script_box;

constexpr std::size_t most_held = 16u << 10;
constexpr std::string_view start_word = "start ", answer_word = "answer ", budget_word = "budget ";

/// "answer 12 {...}" → settles request 12. False for what no host sends.
bool take(Engine& engine, const std::string& line) {
    if (line.compare(0, budget_word.size(), budget_word) == 0) {
        engine.spend(line.substr(budget_word.size()));
        return true;
    }
    if (line.compare(0, answer_word.size(), answer_word) != 0) return false;
    std::uint64_t id = 0;
    const char* const first = line.data() + answer_word.size();
    const auto [end, error] = std::from_chars(first, line.data() + line.size(), id);
    if (error != std::errc{} || end == line.data() + line.size() || *end != ' ') return false;
    return engine.answer(id, line.substr(static_cast<std::size_t>(end + 1 - line.data())));
}

} // namespace

int main() {
    if (::isatty(STDIN_FILENO)) {
        std::fputs("usage: a foxwedge host starts this to run a workflow script\n", stderr);
        return 2;
    }
    enter_bare();
    Output out;
    Engine engine(out);
    Input in;
    std::string line;
    if (!in.next(line)) return 0;
    if (line.compare(0, start_word.size(), start_word) != 0 ||
        !engine.read_start(line.substr(start_word.size()))) {
        std::fputs("script-box: no start\n", stderr);
        return 2;
    }
    if (const char* missing = lock_up(engine.limits().memory_bytes, engine.limits().cpu_seconds))
        engine.fatal("UNAVAILABLE", std::string("no script runs without its sandbox: ") + missing);
    watch_slices(out);
    engine.run();
    while (!engine.ended()) {
        if (!engine.waits_for_something())
            engine.fatal("SCRIPT_ERROR", "the script waits for something that never comes: a "
                                         "promise that nothing settles");
        out.line("wait");
        // Answers that were sent ahead: the host reads what belongs to them in one go.
        if (!in.has_next() || out.held() > most_held) out.flush();
        if (!in.next(line)) return 0;
        if (!take(engine, line)) {
            std::fputs("script-box: a line that no host sends\n", stderr);
            return 2;
        }
        // A budget alone is no answer.
        while (line.compare(0, budget_word.size(), budget_word) == 0)
            if (!in.next(line) || !take(engine, line)) return 0;
    }
    out.flush();
    ::_exit(0);
}
