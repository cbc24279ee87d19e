// Part of the engine conformance suite (conformance.hpp): runs that are held from their start, and
// what is held back until the run's next write.

struct BegunFixture : Fixture {
    Engine::Begun begun(const NewRun& run, bool later) {
        auto b = first->begin(run, later);
        BOOST_REQUIRE_MESSAGE(b, (b ? "" : b.error().code + ": " + b.error().message));
        return *std::move(b);
    }
};

BOOST_FIXTURE_TEST_CASE(a_run_that_begins_later_ends_with_all_that_it_did, BegunFixture) {
    auto run = begun(new_run({}, R"({"a":1})"), true);
    BOOST_REQUIRE(run.held);
    BOOST_TEST(run.held->run().id == run.run);
    BOOST_TEST(run.held->run().input_json == R"({"a":1})");
    BOOST_TEST(run.held->records().empty());
    for (std::uint32_t i = 0; i < 3; ++i) {
        auto one = completion(step(i, "step" + std::to_string(i)), value(std::to_string(i)));
        if (i == 1) one.effects.push_back(put("k", "7"));
        const auto done = run.held->hold(batch_of(std::move(one)));
        BOOST_TEST((done.verdicts.at(0) == Verdict::recorded));
    }
    BOOST_TEST(bool(run.held->finish(RunStatus::succeeded, value("3"))));
    run.held.reset();
    auto other = subject.process();
    const auto head = other->head(run.run);
    BOOST_REQUIRE(head);
    BOOST_TEST((head->status == RunStatus::succeeded));
    BOOST_TEST(head->input_json == R"({"a":1})");
    BOOST_TEST(head->result->value_json == "3");
    const auto records = other->records(run.run);
    BOOST_REQUIRE_EQUAL(records->size(), 3u);
    for (std::size_t i = 0; i < 3; ++i)
        BOOST_TEST(records->at(i).outcome->value_json == std::to_string(i));
    const auto item = other->get(collection, "k");
    BOOST_REQUIRE((item && *item));
    BOOST_TEST((*item)->value_json == "7");
}

BOOST_FIXTURE_TEST_CASE(what_was_held_back_is_there_with_the_next_commit, BegunFixture) {
    auto run = begun(new_run(), true);
    (void)run.held->hold(batch_of(completion(step(0, "one"), value("1"))));
    BOOST_TEST((commit(*run.held, Intent{step(1, "two")}) == Verdict::recorded));
    auto other = subject.process();
    const auto records = other->records(run.run);
    BOOST_REQUIRE((records && records->size() == 2));
    BOOST_TEST(records->at(0).key.name == "one");
    BOOST_TEST(records->at(1).intent);
    BOOST_TEST(error_of_open(*other, run.run) == "run_held");
}

BOOST_FIXTURE_TEST_CASE(a_step_that_was_held_back_is_not_finished_twice, BegunFixture) {
    auto run = begun(new_run(), true);
    (void)run.held->hold(batch_of(completion(step(0, "one"), value("1"))));
    const auto again = run.held->hold(batch_of(completion(step(0, "one"), value("2"))));
    BOOST_TEST((again.verdicts.at(0) == Verdict::conflict));
    BOOST_TEST(bool(run.held->finish(RunStatus::succeeded, value("1"))));
    BOOST_TEST(first->records(run.run)->at(0).outcome->value_json == "1");
}

BOOST_FIXTURE_TEST_CASE(an_expected_revision_is_judged_at_once_all_the_same, BegunFixture) {
    auto run = begun(new_run(), true);
    auto one = completion(step(0, "one"), value("1"));
    one.effects.push_back(put("k", "7", 5));
    const auto done = run.held->hold(batch_of(std::move(one)));
    BOOST_TEST((done.verdicts.at(0) == Verdict::conflict));
}

BOOST_FIXTURE_TEST_CASE(who_asks_for_a_run_that_begins_later_finds_it, BegunFixture) {
    auto run = begun(new_run(), true);
    (void)run.held->hold(batch_of(completion(step(0, "one"), value("1"))));
    BOOST_TEST((status(run.run) == RunStatus::running));
    BOOST_TEST(first->records(run.run)->size() == 1u);
    BOOST_TEST(error_of_open(*first, run.run) == "run_held");
    auto second = begun(new_run(), true);
    BOOST_TEST(first->runs({})->size() == 2u);
    auto third = begun(new_run(), true);
    BOOST_TEST(bool(first->signal(third.run, "key", "5")));
    BOOST_TEST(third.held->signal("key").value_or("") == "5");
}

BOOST_FIXTURE_TEST_CASE(a_run_that_begins_later_can_be_cancelled_meanwhile, BegunFixture) {
    auto run = begun(new_run(), true);
    BOOST_TEST(bool(first->cancel(run.run, "user:ann")));
    BOOST_TEST(run.held->cancelled());
    BOOST_TEST(run.held->stopped().stop_requested());
    BOOST_TEST(bool(
        run.held->finish(RunStatus::cancelled, {permanent("cancelled", "cancelled"), {}, false})));
    BOOST_TEST((status(run.run) == RunStatus::cancelled));
}

BOOST_FIXTURE_TEST_CASE(a_run_that_begins_later_and_parks_goes_on_elsewhere, BegunFixture) {
    auto run = begun(new_run(), true);
    (void)run.held->hold(batch_of(completion(step(0, "one"), value("1"))));
    BOOST_TEST(bool(run.held->park({{Wait::On::signal, {}, "go"}})));
    run.held.reset();
    auto other = subject.process();
    BOOST_TEST(bool(other->signal(run.run, "go", "true")));
    auto held = opened(*other, run.run);
    BOOST_REQUIRE_EQUAL(held->records().size(), 1u);
    BOOST_TEST(held->records()[0].outcome->value_json == "1");
    BOOST_TEST((commit(*held, completion(step(1, "two"), value("2"))) == Verdict::recorded));
}

BOOST_FIXTURE_TEST_CASE(a_start_key_gives_the_run_that_is_there, BegunFixture) {
    auto run = begun(new_run("key"), true);
    BOOST_REQUIRE(run.held);
    // Before it did anything: the key is taken.
    auto other = subject.process();
    const auto again = other->begin(new_run("key"), true);
    BOOST_REQUIRE(again);
    BOOST_TEST(again->run == run.run);
    BOOST_TEST(!again->held);
    const auto strange = other->begin(new_run("key", "2"), true);
    BOOST_TEST(strange.error().code == "key_conflict");
}

BOOST_FIXTURE_TEST_CASE(a_run_that_is_begun_at_once_is_held_and_seen, BegunFixture) {
    auto run = begun(new_run(), false);
    auto other = subject.process();
    BOOST_TEST((other->head(run.run)->status == RunStatus::running));
    BOOST_TEST(error_of_open(*other, run.run) == "run_held");
    run.held.reset();
    BOOST_TEST((status(run.run) == RunStatus::ready));
}

BOOST_FIXTURE_TEST_CASE(a_begun_run_has_no_parent_and_a_workflow, BegunFixture) {
    auto child = new_run();
    child.parent = started();
    BOOST_TEST(first->begin(child, true).error().code == "misuse");
    auto nameless = new_run();
    nameless.workflow.clear();
    BOOST_TEST(first->begin(nameless, true).error().code == "input_validation");
}
