// What a fork takes over, by tables; and what a changed configuration lets be asked another way.
#include <boost/test/unit_test.hpp>

#include "bench.hpp"
#include "run/fork.hpp"
#include "run/replay.hpp"

namespace foxwedge::run {
namespace {

using journal::Record;

/// In order of arrival; outcome "" for one that is open.
std::vector<Record>
records(std::initializer_list<std::tuple<const char*, int, const char*, const char*, const char*>>
            all) {
    std::vector<Record> out;
    for (const auto& [lane, index, name, kind, value] : all) {
        auto& r = out.emplace_back();
        r.key = {lane, static_cast<std::uint32_t>(index), name, kind, sha256(name)};
        r.sequence = out.size();
        r.attempts = {{1, Time(), Time(), std::nullopt}};
        if (*value) r.outcome = journal::Outcome{std::nullopt, value, false};
    }
    return out;
}

/// A turn whose two calls are a fan-out, then another turn.
std::vector<Record> two_turns() {
    return records({{"", 0, "turn0", "model", "1"},
                    {"1.0", 0, "left", "tool", "2"},
                    {"1.0", 1, "left-check", "guardrail", "3"},
                    {"1.1", 0, "right", "tool", "4"},
                    {"", 2, "turn1", "model", "5"}});
}

std::string names_of(const Fork& fork) {
    std::string out;
    for (const auto& r : fork.seed)
        if (!r.key.lane.starts_with(note_mark)) out += r.key.name + " ";
    return out;
}

journal::RunHead origin() {
    journal::RunHead head;
    head.id = "01JAAAAAAAAAAAAAAAAAAAAAAA";
    return head;
}

Fork forked(const std::vector<Record>& all, const char* at,
            std::optional<std::string> output = {}) {
    auto fork = fork_of(origin(), all, at, output);
    BOOST_REQUIRE_MESSAGE(fork.ok(), (fork ? "" : fork.error().message));
    return *std::move(fork);
}

std::string note_of(const Fork& fork) {
    for (const auto& r : fork.seed)
        if (r.key.lane == fork_lane) return r.outcome->value_json;
    return "";
}

} // namespace

BOOST_AUTO_TEST_SUITE(forks)

BOOST_AUTO_TEST_CASE(all_that_stands_structurally_before_the_step_is_taken) {
    BOOST_TEST(names_of(forked(two_turns(), "turn0")) == "");
    BOOST_TEST(names_of(forked(two_turns(), "turn1")) == "turn0 left left-check right ");
}

BOOST_AUTO_TEST_CASE(a_step_of_a_branch_takes_its_fan_out_back_whole) {
    BOOST_TEST(names_of(forked(two_turns(), "left")) == "turn0 ");
    BOOST_TEST(names_of(forked(two_turns(), "right")) == "turn0 ");
}

BOOST_AUTO_TEST_CASE(with_an_output_the_siblings_stay_and_what_follows_in_its_lane_goes) {
    const auto fork = forked(two_turns(), "left", R"("new")");
    BOOST_TEST(names_of(fork) == "turn0 left right ");
    for (const auto& r : fork.seed)
        if (r.key.name == "left") BOOST_TEST(r.outcome->value_json == R"("new")");
}

BOOST_AUTO_TEST_CASE(an_open_sibling_is_refused_with_an_output) {
    auto all = two_turns();
    all[3].outcome.reset();
    all.pop_back();
    BOOST_TEST(fork_of(origin(), all, "left", "1").error().code == "fork_open");
    BOOST_TEST(names_of(forked(all, "left")) == "turn0 ");
}

BOOST_AUTO_TEST_CASE(a_child_that_is_open_before_the_step_is_refused) {
    const auto all = records({{"", 0, "start", "child-start", "1"},
                              {"", 1, "work", "task", "2"},
                              {"", 2, "end", "child-end", "3"},
                              {"", 3, "after", "task", "4"}});
    BOOST_TEST(fork_of(origin(), all, "work", std::nullopt).error().code == "fork_open");
    BOOST_TEST(names_of(forked(all, "start")) == "");
    BOOST_TEST(names_of(forked(all, "after")) == "start work end ");
}

BOOST_AUTO_TEST_CASE(calls_that_the_origin_made_and_the_fork_may_make_again_are_noted) {
    const auto made = [](const char* name) { return to_hex(sha256(name)); };
    BOOST_TEST(note_of(forked(two_turns(), "left")).find(made("left")) != std::string::npos);
    BOOST_TEST(note_of(forked(two_turns(), "turn1")).find("made") == std::string::npos);
    // A step that was given its output is not done.
    BOOST_TEST(note_of(forked(two_turns(), "left", "1")).find("made") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_name_that_is_not_there_is_answered_with_the_nearest) {
    const auto error = fork_of(origin(), two_turns(), "trun1", std::nullopt).error();
    BOOST_TEST(error.code == "not_found");
    BOOST_TEST(error.message.find("turn1") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_fork_runs_on_from_its_seed_under_keys_of_its_own) {
    Bench bench;
    std::vector<std::string> keys;
    const Workflow sum = [&](Run& run) -> Result<Json> {
        for (const char* name : {"one", "two"}) {
            const auto done = run.step(name, {}, [&](StepCall& call) -> Result<StepValue> {
                keys.push_back(call.key());
                return StepValue{"1"};
            });
            if (!done) return done.error();
        }
        return Json(2);
    };
    bench.execute(sum);
    auto fork = forked(bench.records(), "two");
    journal::NewRun wanted;
    wanted.host = "test";
    wanted.workflow = "sum";
    wanted.seed = std::move(fork.seed);
    const auto first = bench.run;
    bench.run = bench.engine->start(wanted)->run;
    BOOST_TEST((bench.execute(sum).how == Ended::succeeded));
    BOOST_TEST(keys ==
                   (std::vector<std::string>{first + "/one", first + "/two", bench.run + "/two"}),
               boost::test_tools::per_element());
    BOOST_TEST((bench.replay(sum).how == Ended::succeeded));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(configurations)

BOOST_AUTO_TEST_CASE(what_is_settled_keeps_its_configuration_and_what_is_open_takes_the_newest) {
    auto all = records({{"", 0, "old", "task", "1"}, {"", 1, "open", "task", ""}});
    auto note = configuration_record(all, "{}", Time());
    note.sequence = 3;
    all.push_back(note);
    auto late = records({{"", 2, "late", "task", "1"}}).front();
    late.sequence = 4;
    std::vector<Record> sorted{all[0], all[1], late, all[2]};

    const History history(sorted);
    auto cursor = history.lane("");
    BOOST_TEST(cursor.configuration_at(0) == 0u);
    BOOST_TEST(cursor.configuration_at(1) == 1u);
    BOOST_TEST(cursor.configuration_at(2) == 1u);
    BOOST_TEST(cursor.configuration_at(3) == 1u);
    const auto other = sha256("asked another way");
    BOOST_TEST((cursor.step(0, "old", "task", other, false).standing == Standing::mismatch));
    BOOST_TEST((cursor.step(1, "open", "task", other, false).standing == Standing::begun));
    BOOST_TEST((cursor.step(2, "late", "task", other, false).standing == Standing::mismatch));
}

BOOST_AUTO_TEST_CASE(a_step_is_asked_under_the_configuration_of_its_place_in_replay_too) {
    Bench bench;
    std::vector<std::uint32_t> seen;
    const Workflow workflow = [&](Run& run) -> Result<Json> {
        seen.clear();
        for (const char* name : {"one", "two"}) {
            seen.push_back(run.configuration());
            StepOptions options;
            options.inputs = Json(run.configuration());
            const auto done = run.step(
                name, options, [](StepCall&) -> Result<StepValue> { return StepValue{"1"}; });
            if (!done) return done.error();
            FOXWEDGE_CHECK(run.sleep(std::string("nap ") + name, Millis(5'000)));
        }
        return Json(static_cast<std::int64_t>(run.configurations().size()));
    };
    BOOST_TEST((bench.execute(workflow).how == Ended::parked));
    BOOST_TEST(change_configuration(*bench.open(), R"({"other":true})").ok());
    bench.clock.advance(Millis(5'000));
    BOOST_TEST((bench.execute(workflow).how == Ended::parked));
    bench.clock.advance(Millis(5'000));
    BOOST_TEST((bench.execute(workflow).how == Ended::succeeded));
    const std::vector<std::uint32_t> expected{0, 1};
    BOOST_TEST(seen == expected, boost::test_tools::per_element());
    BOOST_TEST((bench.replay(workflow).how == Ended::succeeded));
    BOOST_TEST(seen == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace foxwedge::run
