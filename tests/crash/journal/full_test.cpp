// No room: the map's limit, and a file system that is full. B48, B49.
#include <boost/test/unit_test.hpp>

#include <fstream>

#include <sys/mount.h>
#include <unistd.h>

#include "subject.hpp"
#include "support.hpp"

using namespace foxwedge;
using namespace foxwedge::journal;
using namespace foxwedge::journal::test;

namespace {

/// Fills a run until a step does not fit, then does all that must work all the same.
void fill_and_go_on(Engine& engine, const std::string& path, std::size_t bytes) {
    const auto run = engine.start(some_run())->run;
    const auto other = engine.start(some_run())->run;
    const auto cancelled = engine.start(some_run())->run;
    auto held = *engine.open(run);
    Batch asked;
    asked.gates.push_back(question(0));
    const auto gate = held->commit(std::move(asked)).gate_ids.at(0);

    std::uint32_t index = 1;
    Committed done;
    for (; index < 100'000; ++index) {
        done = held->commit(only(step(index, bytes)));
        if (done.verdicts.at(0) != Verdict::recorded) break;
    }
    BOOST_TEST((done.verdicts.at(0) == Verdict::full));
    BOOST_TEST(done.explanation.find("no room") != std::string::npos, done.explanation);
    const std::uint32_t recorded = index;

    // One that does not fit takes nothing down with it: a neighbour that has no bytes of its own.
    BOOST_TEST((held->commit(only(step(index, bytes))).verdicts.at(0) == Verdict::full));
    // Parks, decisions, cancels have their reserve.
    BOOST_TEST(bool(held->park({{Wait::On::gate, {}, gate}})));
    Answer answer;
    answer.gate = gate;
    answer.answer = "approve";
    answer.decided_by = "user:ann";
    const auto decided = engine.answer(answer);
    BOOST_TEST(decided.ok(), (decided ? "" : decided.error().message));
    BOOST_TEST(bool(engine.cancel(cancelled, "user:ann")));
    BOOST_TEST((engine.head(run)->status == RunStatus::ready));
    BOOST_TEST((engine.head(cancelled)->status == RunStatus::cancelled));
    BOOST_TEST(engine.head(other).ok());

    // Nothing that was recorded is lost, nothing refused is on record.
    const auto records = engine.records(run);
    BOOST_REQUIRE(records);
    BOOST_TEST(records->size() == recorded);
    const auto report = check_journal(path);
    BOOST_REQUIRE(report);
    for (const auto& p : report->problems) BOOST_TEST_MESSAGE(p.what);
    BOOST_TEST(report->sound());
}

} // namespace

BOOST_AUTO_TEST_SUITE(full)

BOOST_AUTO_TEST_CASE(at_the_maps_limit_steps_are_refused_and_decisions_are_not) { // B48
    TemporaryFolder folder;
    const std::string path = folder.path() + "/j";
    auto engine = open_at(path, std::size_t{4} << 20);
    fill_and_go_on(*engine, path, 64 << 10);
}

BOOST_AUTO_TEST_CASE(small_steps_reach_the_maps_limit_too) { // B48
    TemporaryFolder folder;
    const std::string path = folder.path() + "/j";
    auto engine = open_at(path, std::size_t{3} << 20);
    fill_and_go_on(*engine, path, 900);
}

BOOST_AUTO_TEST_CASE(the_neighbours_of_an_item_that_does_not_fit_are_recorded) {
    TemporaryFolder folder;
    auto engine = open_at(folder.path() + "/j", std::size_t{4} << 20);
    auto held = *engine->open(engine->start(some_run())->run);
    Batch b;
    b.completions = {step(0, 100), step(1, 6 << 20), step(2, 100)};
    const auto done = held->commit(std::move(b));
    BOOST_TEST((done.verdicts ==
                std::vector<Verdict>{Verdict::recorded, Verdict::full, Verdict::recorded}));
}

BOOST_AUTO_TEST_CASE(a_full_file_system_refuses_steps_and_loses_nothing) { // B49
    if (::geteuid() != 0) {
        BOOST_TEST_MESSAGE("skipped: mounting a file system of 8 MiB needs root");
        return;
    }
    TemporaryFolder folder;
    if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=8m") != 0) {
        BOOST_TEST_MESSAGE("skipped: tmpfs cannot be mounted here");
        return;
    }
    {
        const std::string path = folder.path() + "/j";
        auto engine = open_at(path, std::size_t{1} << 30);
        fill_and_go_on(*engine, path, 64 << 10);
        // What else may fill the disk is not ours to free; once there is room the work goes on.
        const auto run = engine->start(some_run());
        BOOST_TEST((run.ok() || run.error().code == "journal_full"));
    }
    BOOST_TEST(::umount(folder.path().c_str()) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
