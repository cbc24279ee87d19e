// Part of the engine conformance suite (conformance.hpp): ends.

BOOST_FIXTURE_TEST_CASE(a_finished_run_has_its_result_and_is_not_opened_again, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    BOOST_TEST(bool(held->finish(RunStatus::succeeded, value(R"({"final":"done"})"))));
    held.reset();
    const auto head = first->head(id);
    BOOST_TEST((head->status == RunStatus::succeeded));
    BOOST_TEST(head->result->value_json == R"({"final":"done"})");
    BOOST_TEST(error_of_open(*first, id) == "run_finished");
    BOOST_TEST(first->cancel(id, "x").error().code == "run_finished");
    BOOST_TEST(first->retry(id).error().code == "not_failed");
    BOOST_TEST(first->signal(id, "k", "1").error().code == "run_finished");
}

BOOST_FIXTURE_TEST_CASE(a_run_that_nobody_holds_is_cancelled_at_once_with_its_tree, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    const auto kid = derived_id(id, sha256("kid"));
    BOOST_TEST((commit(*held, child_of(step(0, "kid", "child"), kid)) == Verdict::recorded));
    BOOST_TEST(bool(held->park({{Wait::On::child, {}, kid}})));
    BOOST_TEST(bool(first->cancel(id, "user:ann")));
    BOOST_TEST((status(id) == RunStatus::cancelled));
    BOOST_TEST((status(kid) == RunStatus::cancelled));
    BOOST_TEST(first->head(id)->reason.find("user:ann") != std::string::npos);
    BOOST_TEST(bool(first->cancel(id, "again")));
}

BOOST_FIXTURE_TEST_CASE(a_held_run_is_told_that_it_is_cancelled_and_still_records, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    auto second = subject.process();
    BOOST_TEST(bool(second->cancel(id, "user:ann")));
    BOOST_TEST(held->cancelled());
    BOOST_TEST(held->stopped().stop_requested());
    BOOST_TEST((status(id) == RunStatus::running));
    BOOST_TEST((commit(*held, completion(step(0, "one"), value("1"))) == Verdict::recorded));
    BOOST_TEST(bool(held->park({{Wait::On::signal, {}, "never"}})));
    BOOST_TEST((status(id) == RunStatus::cancelled));
}

BOOST_FIXTURE_TEST_CASE(cancelling_what_a_dead_process_held_ends_it, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    restart();
    BOOST_TEST(bool(first->cancel(id, "user:ann")));
    BOOST_TEST((status(id) == RunStatus::cancelled));
}

BOOST_FIXTURE_TEST_CASE(a_run_that_kills_its_host_again_and_again_alone_is_stuck, Fixture) { // B46
    const auto id = started();
    {
        auto held = opened(*first, id);
        BOOST_TEST((commit(*held, completion(step(0, "one"), value("1"))) == Verdict::recorded));
        BOOST_TEST((commit(*held, Intent{step(1, "bomb")}) == Verdict::recorded));
        held.reset();
    }
    for (int death = 0; death < 5; ++death) {
        auto held = opened(*first, id);
        restart();
    }
    BOOST_TEST((status(id) == RunStatus::stuck));
    BOOST_TEST(first->head(id)->reason.find("bomb") != std::string::npos);
    BOOST_TEST(error_of_open(*first, id) == "run_stuck");
    BOOST_TEST(bool(first->retry(id)));
    BOOST_TEST(error_of_open(*first, id) == "");
}

BOOST_FIXTURE_TEST_CASE(deaths_beside_others_or_after_progress_do_not_count, Fixture) { // B46
    const auto id = started();
    const auto healthy = started();
    for (std::uint32_t death = 0; death < 8; ++death) {
        auto held = opened(*first, id);
        std::unique_ptr<Activation> beside;
        if (death % 2 == 0)
            beside = opened(*first, healthy);
        else
            BOOST_TEST((commit(*held, completion(step(death, "s" + std::to_string(death)),
                                                 value("1"))) == Verdict::recorded));
        restart();
    }
    BOOST_TEST((status(id) == RunStatus::ready));
    BOOST_TEST((status(healthy) == RunStatus::ready));
}

BOOST_FIXTURE_TEST_CASE(runs_that_wait_for_the_one_that_kills_their_host_leave_it_alone,
                        Fixture) { // B46
    const auto parent = started();
    const auto middle = derived_id(parent, sha256("middle")),
               child = derived_id(parent, sha256("child"));
    {
        auto held = opened(*first, parent);
        BOOST_TEST((commit(*held, child_of(step(0, "kid", "child"), middle)) == Verdict::recorded));
        auto below = opened(*first, middle);
        BOOST_TEST((commit(*below, child_of(step(0, "kid", "child"), child)) == Verdict::recorded));
    }
    for (int death = 0; death < 5; ++death) {
        BOOST_TEST((status(child) == RunStatus::ready));
        auto held = opened(*first, parent), below = opened(*first, middle),
             killer = opened(*first, child);
        restart();
    }
    BOOST_TEST((status(child) == RunStatus::stuck));
    BOOST_TEST((status(middle) == RunStatus::ready));
    BOOST_TEST((status(parent) == RunStatus::ready));
    BOOST_TEST(first->head(parent)->deaths == 0u);
}

BOOST_FIXTURE_TEST_CASE(of_two_children_at_work_neither_is_alone, Fixture) { // B46
    const auto parent = started();
    const auto one = derived_id(parent, sha256("one")), other = derived_id(parent, sha256("other"));
    {
        auto held = opened(*first, parent);
        BOOST_TEST((commit(*held, child_of(step(0, "one", "child"), one)) == Verdict::recorded));
        BOOST_TEST((commit(*held, child_of(step(1, "two", "child"), other)) == Verdict::recorded));
    }
    for (int death = 0; death < 8; ++death) {
        auto held = opened(*first, parent), a = opened(*first, one), b = opened(*first, other);
        restart();
    }
    for (const auto& id : {parent, one, other}) BOOST_TEST((status(id) == RunStatus::ready));
}

BOOST_FIXTURE_TEST_CASE(who_has_cancelled_a_held_run_is_told_with_its_end, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    BOOST_TEST(bool(first->cancel(id, "user:ann")));
    const Outcome own{permanent("cancelled", "the run was cancelled"), {}, false};
    BOOST_TEST(bool(held->finish(RunStatus::cancelled, own)));
    BOOST_TEST(first->head(id)->result->error->message == "cancelled by user:ann");
}

BOOST_FIXTURE_TEST_CASE(a_seeded_run_begins_with_the_records_it_was_given, Fixture) {
    auto held = opened(*first, started());
    auto c = completion(step(0, "one"), value("1"));
    BOOST_TEST((commit(*held, c) == Verdict::recorded));
    NewRun fork = new_run();
    fork.seed = *first->records(held->run().id);
    fork.forked_from = held->run().id;
    const auto id = started(fork);
    auto other = opened(*first, id);
    BOOST_REQUIRE(other->records().size() == 1u);
    BOOST_TEST(other->records()[0].outcome->value_json == "1");
    BOOST_TEST((commit(*other, c) == Verdict::conflict));
    BOOST_TEST((commit(*other, completion(step(1, "two"), value("2"))) == Verdict::recorded));
}
