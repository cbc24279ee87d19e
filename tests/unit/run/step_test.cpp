// Retries, failure classes, intents and the question after an unknown outcome.
#include <boost/test/unit_test.hpp>

#include "base/loss.hpp"

#include "bench.hpp"

namespace foxwedge::run {
namespace {

/// One step whose n-th attempt gives the n-th of these; then 1.
struct Script {
    std::vector<Error> failures;
    std::atomic<int> ran{0};
    std::vector<std::string> keys;
    StepOptions options;

    Workflow workflow() {
        return [this](Run& run) -> Result<Json> {
            auto done = run.step("work", options, [this](StepCall& call) -> Result<StepValue> {
                keys.push_back(call.key());
                const auto n = static_cast<std::size_t>(ran++);
                if (n < failures.size()) return failures[n];
                return number(1);
            });
            if (!done) return std::move(done).error();
            return parse_json(done->value_json);
        };
    }
};

const Error refused = not_done("rate_limited", "later");
const Error lost = unknown_outcome("connection_lost", "gone");

/// Lets time pass for a run that waits in place.
ExecuteOptions patient() {
    ExecuteOptions options;
    options.patience = Millis(3'600'000);
    return options;
}

} // namespace

BOOST_AUTO_TEST_SUITE(steps)

BOOST_AUTO_TEST_CASE(a_refused_step_is_tried_again_after_its_delay) {
    Bench bench;
    Script script;
    script.failures = {refused, refused};
    ExecuteOptions options = patient();
    options.events = [&](const Event& event) {
        if (event.kind == Event::Kind::step_retrying) bench.clock.advance(*event.delay);
    };
    const auto end = bench.execute(script.workflow(), options);
    BOOST_TEST((end.how == Ended::succeeded));
    BOOST_TEST(script.ran == 3);
    BOOST_TEST(bench.engine->records(bench.run)->at(0).attempts.size() == 3u);
    BOOST_TEST(script.keys[0] == bench.run + "/work");
    BOOST_TEST(script.keys[2] == script.keys[0]);
}

BOOST_AUTO_TEST_CASE(a_loss_that_is_nobodys_doing_is_not_counted) {
    Bench bench;
    Script script;
    const Error blameless = unknown_outcome(std::string(blameless_loss), "its process died");
    script.failures = {blameless, blameless, refused};
    script.options.retry.max_attempts = 2;
    ExecuteOptions options = patient();
    options.events = [&](const Event& event) {
        if (event.kind == Event::Kind::step_retrying) bench.clock.advance(*event.delay);
    };
    BOOST_TEST((bench.execute(script.workflow(), options).how == Ended::succeeded));
    BOOST_TEST(script.ran == 4);
    BOOST_TEST(bench.engine->records(bench.run)->at(0).attempts.size() == 4u); // all on record
}

BOOST_AUTO_TEST_CASE(a_long_retry_delay_parks_the_run_and_ends_when_it_was_going_to) {
    Bench bench;
    Script script;
    script.failures = {not_done("rate_limited", "later", Millis(120'000))};
    const auto parked = bench.execute(script.workflow());
    BOOST_TEST((parked.how == Ended::parked));
    BOOST_REQUIRE(parked.wakes_at);
    bench.restart();
    const auto again = bench.execute(script.workflow());
    BOOST_TEST((again.how == Ended::parked));
    BOOST_TEST((again.wakes_at == parked.wakes_at));
    BOOST_TEST(script.ran == 1);
    bench.clock.advance(Millis(121'000));
    BOOST_TEST((bench.execute(script.workflow()).how == Ended::succeeded));
    BOOST_TEST(script.ran == 2);
}

BOOST_AUTO_TEST_CASE(a_permanent_failure_fails_the_run_and_a_retry_appends_a_generation) {
    Bench bench;
    Script script;
    script.failures = {permanent("unauthorized", "who are you")};
    BOOST_TEST((bench.execute(script.workflow()).how == Ended::failed));
    const auto replayed = bench.replay(script.workflow());
    BOOST_TEST((replayed.how == Ended::failed));
    BOOST_TEST(replayed.error->code == "unauthorized");
    BOOST_TEST(script.ran == 1);
    const auto end = bench.execute(script.workflow(), {}, {.retry = true});
    BOOST_TEST((end.how == Ended::succeeded));
    BOOST_TEST(script.keys[1] == bench.run + "/work#1");
    BOOST_TEST(bench.engine->records(bench.run)->size() == 2u);
    BOOST_TEST((bench.replay(script.workflow()).how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(a_step_that_throws_fails_for_good) {
    Bench bench;
    const auto end = bench.execute([](Run& run) -> Result<Json> {
        auto done = run.step(
            "bad", {}, [](StepCall&) -> Result<StepValue> { throw std::runtime_error("oh"); });
        return done ? Result<Json>(Json(1)) : Result<Json>(done.error());
    });
    BOOST_TEST((end.how == Ended::failed));
    BOOST_TEST(end.error->code == "internal");
}

BOOST_AUTO_TEST_CASE(an_intent_is_written_only_where_repeating_needs_a_decision) {
    for (const bool ask : {false, true}) {
        Bench bench;
        Script script;
        if (ask) script.options.on_interrupted = OnInterrupted::ask;
        const auto before = bench.journal.operations();
        BOOST_TEST((bench.execute(script.workflow()).how == Ended::succeeded));
        BOOST_TEST(bench.journal.operations() - before == (ask ? 4u : 3u)); // open, step, finish
    }
}

// B41: an effect whose outcome is unknown is not repeated unasked.
BOOST_AUTO_TEST_CASE(a_once_step_interrupted_by_death_asks_and_answers_again_use_or_give_up) {
    for (const std::string word : {"again", "use", "giveUp"}) {
        Bench bench;
        Script script;
        script.options.repeat = Repeat::once;
        script.options.on_interrupted = OnInterrupted::ask;
        bench.journal.cut(journal::Cut{bench.journal.operations() + 3, false}); // the outcome
        BOOST_TEST((bench.execute(script.workflow()).how != Ended::succeeded));
        bench.journal.cut(std::nullopt);
        bench.restart();
        // The outcome reached the record although nobody heard: nothing to ask.
        BOOST_TEST((bench.execute(script.workflow()).how == Ended::succeeded));
        BOOST_TEST(script.ran == 1);

        Bench killed;
        killed.journal.cut(journal::Cut{killed.journal.operations() + 2, true}); // the intent
        script.ran = 0;
        BOOST_TEST((killed.execute(script.workflow()).how == Ended::fault));
        killed.journal.cut(std::nullopt);
        killed.restart();
        const int ran = script.ran;
        const auto parked = killed.execute(script.workflow());
        BOOST_TEST((parked.how == Ended::parked));
        BOOST_TEST(script.ran == ran);
        const auto gates = killed.engine->gates({.run = killed.run});
        BOOST_REQUIRE(gates->size() == 1u);
        BOOST_TEST(gates->front().step == "work:unknown:0");
        BOOST_TEST(killed.answer(word, word == "use" ? "42" : "").ok());
        const auto end = killed.execute(script.workflow());
        if (word == "giveUp") {
            BOOST_TEST((end.how == Ended::failed));
            BOOST_TEST(end.error->code == "interrupted");
        } else {
            BOOST_TEST((end.how == Ended::succeeded));
            BOOST_TEST(end.outcome.value_json == (word == "use" ? "42" : "1"));
        }
        BOOST_TEST(script.ran == ran + (word == "again" ? 1 : 0));
        const auto replayed = killed.replay(script.workflow());
        BOOST_TEST((replayed.how == end.how));
    }
}

BOOST_AUTO_TEST_CASE(an_unknown_outcome_of_a_once_step_asks_at_once_and_asks_again) {
    Bench bench;
    Script script;
    script.failures = {lost, lost};
    script.options.repeat = Repeat::once;
    script.options.on_interrupted = OnInterrupted::ask;
    BOOST_TEST((bench.execute(script.workflow()).how == Ended::parked));
    BOOST_TEST(bench.answer("again").ok());
    BOOST_TEST((bench.execute(script.workflow()).how == Ended::parked));
    BOOST_TEST(bench.engine->gates({.run = bench.run})->front().step == "work:unknown:1");
    BOOST_TEST(bench.answer("again").ok());
    BOOST_TEST((bench.execute(script.workflow()).how == Ended::succeeded));
    BOOST_TEST(script.ran == 3);
    BOOST_TEST((bench.replay(script.workflow()).how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(an_interrupted_step_that_is_to_fail_fails) {
    Bench bench;
    Script script;
    script.options.on_interrupted = OnInterrupted::fail;
    bench.journal.cut(journal::Cut{bench.journal.operations() + 2, true});
    (void)bench.execute(script.workflow());
    bench.journal.cut(std::nullopt);
    bench.restart();
    const auto end = bench.execute(script.workflow());
    BOOST_TEST((end.how == Ended::failed));
    BOOST_TEST(end.error->code == "interrupted");
}

BOOST_AUTO_TEST_CASE(a_store_conflict_runs_the_body_again_at_once) {
    Bench bench;
    int ran = 0;
    const auto end = bench.execute([&](Run& run) -> Result<Json> {
        auto done = run.step("count", {}, [&](StepCall&) -> Result<StepValue> {
            ++ran;
            const auto now = bench.engine->get("c", "k");
            const auto revision = *now ? (*now)->revision : 0;
            if (ran < 3) { // somebody else is faster
                const journal::Effect other{"c", "k", journal::Effect::Kind::put, "0", "", {}};
                (void)*bench.engine->apply({&other, 1});
            }
            StepValue value{"1"};
            value.effects.push_back({"c", "k", journal::Effect::Kind::put, "7", "", revision});
            return value;
        });
        return done ? Result<Json>(Json(1)) : Result<Json>(done.error());
    });
    BOOST_TEST((end.how == Ended::succeeded));
    BOOST_TEST(ran == 3);
    BOOST_TEST((*bench.engine->get("c", "k"))->value_json == "7");
}

BOOST_AUTO_TEST_CASE(a_store_that_never_agrees_fails_the_step) {
    Bench bench;
    int ran = 0;
    const auto end = bench.execute([&](Run& run) -> Result<Json> {
        auto done = run.step("count", {}, [&](StepCall&) -> Result<StepValue> {
            ++ran;
            StepValue value{"1"};
            value.effects.push_back({"c", "k", journal::Effect::Kind::put, "7", "", 99});
            return value;
        });
        return done ? Result<Json>(Json(1)) : Result<Json>(done.error());
    });
    BOOST_TEST((end.how == Ended::failed));
    BOOST_TEST(end.error->code == "conflict");
    BOOST_TEST(ran == 5);
}

BOOST_AUTO_TEST_CASE(an_outcome_over_the_limit_fails_the_step_and_says_so) {
    Bench bench;
    ExecuteOptions options;
    options.max_value = 10;
    const auto end = bench.execute(
        [](Run& run) -> Result<Json> {
            auto done = run.step("big", {}, [](StepCall&) -> Result<StepValue> {
                return StepValue{"\"" + std::string(20, 'x') + "\""};
            });
            return done ? Result<Json>(Json(1)) : Result<Json>(done.error());
        },
        options);
    BOOST_TEST((end.how == Ended::failed));
    BOOST_TEST(end.error->code == "too_large");
}

BOOST_AUTO_TEST_CASE(effects_that_never_fit_fail_the_step_instead_of_waiting_for_room) {
    Bench bench;
    const auto end = bench.execute([](Run& run) -> Result<Json> {
        auto done = run.step("many", {}, [](StepCall&) -> Result<StepValue> {
            StepValue value{"1"};
            for (int i = 0; i < 1001; ++i)
                value.effects.push_back({"c", "k", journal::Effect::Kind::add, "", "1", {}});
            return value;
        });
        return done ? Result<Json>(Json(1)) : Result<Json>(done.error());
    });
    BOOST_TEST((end.how == Ended::failed));
    BOOST_TEST(end.error->code == "too_large");
}

BOOST_AUTO_TEST_CASE(a_timer_is_absolute_and_survives_a_restart) {
    Bench bench;
    const Workflow workflow = [](Run& run) -> Result<Json> {
        FOXWEDGE_CHECK(run.sleep("nap", Millis(60'000)));
        return Json(1);
    };
    const auto parked = bench.execute(workflow);
    BOOST_TEST((parked.how == Ended::parked));
    bench.clock.advance(Millis(30'000));
    bench.restart();
    BOOST_TEST((bench.execute(workflow).wakes_at == parked.wakes_at));
    bench.clock.advance(Millis(30'000));
    BOOST_TEST((bench.execute(workflow).how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(time_chance_and_signals_are_recorded) {
    Bench bench;
    const Workflow workflow = [](Run& run) -> Result<Json> {
        FOXWEDGE_TRY(now, run.now("when"));
        FOXWEDGE_TRY(chance, run.random("dice"));
        FOXWEDGE_TRY(word, run.signal("word", "the-word"));
        return Json(JsonArray{Json(now.time_since_epoch().count()), Json(chance), word});
    };
    BOOST_TEST((bench.execute(workflow).how == Ended::parked));
    BOOST_TEST(bench.engine->signal(bench.run, "the-word", "\"hi\"").ok());
    bench.clock.advance(Millis(5));
    const auto end = bench.execute(workflow);
    BOOST_TEST((end.how == Ended::succeeded));
    BOOST_TEST(bench.replay(workflow).outcome.value_json == end.outcome.value_json);
}

BOOST_AUTO_TEST_CASE(a_child_runs_by_itself_and_its_end_is_recorded_by_its_parent) {
    Bench bench;
    const Workflow parent = [](Run& run) -> Result<Json> {
        ChildSpec spec;
        spec.name = "helper";
        spec.workflow = "sum";
        spec.input_json = "5";
        FOXWEDGE_TRY(done, run.child(spec));
        return parse_json(done.outcome.value_json);
    };
    BOOST_TEST((bench.execute(parent).how == Ended::parked));
    const auto children = bench.engine->runs({.parent = bench.run});
    BOOST_REQUIRE(children->size() == 1u);
    const auto child = children->front().id;
    {
        auto held = bench.engine->open(child);
        const auto end = execute(
            **held, [](Run& run) -> Result<Json> { return parse_json(run.head().input_json); }, {});
        BOOST_TEST((end.how == Ended::succeeded));
    }
    const auto end = bench.execute(parent);
    BOOST_TEST((end.how == Ended::succeeded));
    BOOST_TEST(end.outcome.value_json == "5");
    BOOST_TEST((bench.replay(parent).how == Ended::succeeded));
}

BOOST_AUTO_TEST_SUITE_END()
} // namespace foxwedge::run
