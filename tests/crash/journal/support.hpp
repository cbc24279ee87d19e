// What the tests of hard times share: a small journal, and children that die.
#pragma once
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "journal/lmdb_engine.hpp"
#include "journal/maintenance.hpp"

namespace foxwedge::journal::test {

inline std::unique_ptr<Engine> open_at(const std::string& path,
                                       std::size_t map_limit = std::size_t{64} << 20) {
    JournalOptions options;
    options.path = path;
    options.map_limit = map_limit;
    auto engine = open_journal(options);
    BOOST_REQUIRE_MESSAGE(engine, (engine ? "" : engine.error().message));
    return *std::move(engine);
}

inline NewRun some_run() {
    NewRun run;
    run.host = "h";
    run.workflow = "w";
    run.input_json = "1";
    run.config_json = "{}";
    run.labels_json = "{}";
    return run;
}

inline Completion step(std::uint32_t index, std::size_t bytes) {
    Completion c;
    c.key = {"", index, "step " + std::to_string(index), "task", sha256(std::to_string(index))};
    // No two values alike, or they would be stored once.
    std::string value = "\"" + std::to_string(index) + " ";
    value.resize(bytes + 8, static_cast<char>('a' + index % 26));
    c.outcome = Outcome{std::nullopt, value + "\"", false};
    return c;
}

inline Batch only(Completion c) {
    Batch b;
    b.completions.push_back(std::move(c));
    return b;
}

inline GateOpening question(std::uint32_t index) {
    GateOpening g;
    g.key = {"", index, "ask", "gate", {}};
    g.gate.about_json = "{}";
    g.gate.allow = {"approve"};
    return g;
}

} // namespace foxwedge::journal::test
