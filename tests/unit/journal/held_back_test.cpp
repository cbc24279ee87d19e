// What the LMDB engine writes of a run whose steps are held back, and when.
#include <boost/test/unit_test.hpp>

#include "journal/lmdb_process.hpp"
#include "subject.hpp"

using namespace foxwedge;
using namespace foxwedge::journal;

namespace {

struct HeldBack {
    test::TemporaryFolder folder;
    std::unique_ptr<Engine> engine = process();

    std::unique_ptr<Engine> process() const {
        JournalOptions options;
        options.path = folder.path() + "/journal";
        options.map_limit = std::size_t{64} << 20;
        auto opened = open_journal(options);
        BOOST_REQUIRE_MESSAGE(opened, (opened ? "" : opened.error().message));
        return *std::move(opened);
    }
    static NewRun wanted() {
        NewRun run;
        run.host = "host";
        run.workflow = "flow";
        run.input_json = "1";
        run.config_json = run.labels_json = "{}";
        return run;
    }
    Engine::Begun begun() const {
        auto b = engine->begin(wanted(), true);
        BOOST_REQUIRE(b);
        return *std::move(b);
    }
    static Batch outcome(std::uint32_t index) {
        Batch batch;
        batch.completions.emplace_back();
        auto& c = batch.completions.back();
        c.key = {"", index, "step" + std::to_string(index), "task", {}};
        c.outcome = Outcome{std::nullopt, "1", false};
        return batch;
    }
    std::size_t commits() const { return static_cast<LmdbEngine&>(*engine).core().read().number(); }
};

} // namespace

BOOST_AUTO_TEST_SUITE(held_back)

BOOST_FIXTURE_TEST_CASE(a_whole_run_is_one_commit, HeldBack) {
    const auto before = commits();
    auto run = begun();
    (void)run.held->hold(outcome(0));
    (void)run.held->hold(outcome(1));
    BOOST_TEST(commits() == before);
    BOOST_TEST(bool(run.held->finish(RunStatus::succeeded, {std::nullopt, "1", false})));
    BOOST_TEST(commits() == before + 1);
    run.held.reset();
    BOOST_TEST(commits() == before + 1);
    BOOST_TEST(engine->records(run.run)->size() == 2u);
}

BOOST_FIXTURE_TEST_CASE(a_death_leaves_no_trace_of_it, HeldBack) {
    auto run = begun();
    (void)run.held->hold(outcome(0));
    abandon(*engine);
    run.held.reset();
    const auto dead = std::exchange(engine, process());
    BOOST_TEST(engine->head(run.run).error().code == "not_found");
    BOOST_TEST(engine->runs({})->empty());
}

BOOST_FIXTURE_TEST_CASE(who_gives_it_up_at_once_leaves_no_trace_either, HeldBack) {
    auto run = begun();
    run.held.reset();
    BOOST_TEST(engine->head(run.run).error().code == "not_found");
}

BOOST_FIXTURE_TEST_CASE(what_takes_longer_comes_on_record_by_itself, HeldBack) {
    auto run = begun();
    (void)run.held->hold(outcome(0));
    const auto other = process();
    Result<RunHead> head = other->head(run.run);
    while (!head) { // the test's time limit ends this where it never does
        std::this_thread::sleep_for(Millis(20));
        head = other->head(run.run);
    }
    BOOST_TEST((head->status == RunStatus::running));
    BOOST_TEST(other->records(run.run)->size() == 1u);
    // What follows is recorded as ever.
    BOOST_TEST((run.held->commit(outcome(1)).verdicts.at(0) == Verdict::recorded));
    BOOST_TEST(bool(run.held->finish(RunStatus::succeeded, {std::nullopt, "1", false})));
    BOOST_TEST(other->records(run.run)->size() == 2u);
}

BOOST_FIXTURE_TEST_CASE(many_at_once_share_their_commits_and_lose_nothing, HeldBack) {
    constexpr int threads = 8, each = 50;
    std::atomic<int> ended{0};
    {
        std::vector<std::jthread> callers;
        for (int t = 0; t < threads; ++t)
            callers.emplace_back([&] {
                for (int i = 0; i < each; ++i) {
                    const auto run = engine->begin(wanted(), true); // checks are one thread's
                    if (!run) continue;
                    (void)run->held->hold(outcome(0));
                    if (i % 7 == 0) (void)engine->head(run->run); // somebody asks in between
                    ended +=
                        bool(run->held->finish(RunStatus::succeeded, {std::nullopt, "1", false}));
                }
            });
    }
    BOOST_TEST(ended == threads * each);
    RunQuery all;
    all.status = {RunStatus::succeeded};
    all.limit = 1000;
    const auto runs = engine->runs(all);
    BOOST_REQUIRE(runs);
    BOOST_TEST(runs->size() == std::size_t{threads * each});
    for (const auto& run : *runs) BOOST_TEST(engine->records(run.id)->size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
