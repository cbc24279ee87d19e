// Part of the engine conformance suite (conformance.hpp): waits.

BOOST_FIXTURE_TEST_CASE(a_parked_run_comes_back_when_its_time_has_come, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    BOOST_TEST(bool(held->park({{Wait::On::time, subject.clock.now() + Millis(100), {}}})));
    BOOST_TEST((status(id) == RunStatus::waiting));
    restart(); // killed in the timer
    BOOST_TEST((status(id) == RunStatus::waiting));
    subject.clock.advance(Millis(100));
    BOOST_TEST((status(id) == RunStatus::ready));
}

BOOST_FIXTURE_TEST_CASE(parking_on_what_has_happened_already_is_ready_at_once, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    const auto gate = held->commit(batch_of(opening(0, "ask"))).gate_ids.at(0);
    BOOST_TEST(bool(first->answer(answer_to(gate, "ask", "approve"))));
    BOOST_TEST(bool(held->park({{Wait::On::gate, {}, gate}})));
    BOOST_TEST((status(id) == RunStatus::ready));
}

BOOST_FIXTURE_TEST_CASE(only_what_is_waited_for_wakes, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    Batch b;
    b.gates = {opening(0, "one"), opening(1, "two")};
    const auto gates = held->commit(std::move(b)).gate_ids;
    BOOST_TEST(bool(held->park({{Wait::On::gate, {}, gates.at(0)}})));
    BOOST_TEST(bool(first->answer(answer_to(gates.at(1), "two", "approve"))));
    BOOST_TEST((status(id) == RunStatus::waiting));
    BOOST_TEST(bool(first->answer(answer_to(gates.at(0), "one", "approve"))));
    BOOST_TEST((status(id) == RunStatus::ready));
}

BOOST_FIXTURE_TEST_CASE(a_signal_is_kept_and_the_first_one_counts, Fixture) {
    const auto id = started();
    BOOST_TEST(bool(first->signal(id, "go", "1")));
    BOOST_TEST(bool(first->signal(id, "go", "2")));
    auto held = opened(*first, id);
    BOOST_TEST(held->signal("go").value() == "1");
    BOOST_TEST(!held->signal("stay").has_value());
    BOOST_TEST(bool(held->park({{Wait::On::signal, {}, "stay"}})));
    BOOST_TEST((status(id) == RunStatus::waiting));
    auto second = subject.process();
    BOOST_TEST(bool(second->signal(id, "stay", "3")));
    BOOST_TEST((status(id) == RunStatus::ready));
}

BOOST_FIXTURE_TEST_CASE(await_change_returns_for_an_answer_from_another_process, Fixture) {
    auto held = opened(*first, started());
    const auto gate = held->commit(batch_of(opening(0, "ask"))).gate_ids.at(0);
    auto second = subject.process();
    auto waits = std::async(std::launch::async, [&] {
        held->await_change({{Wait::On::gate, {}, gate}}, {});
    });
    BOOST_TEST(bool(second->answer(answer_to(gate, "ask", "approve"))));
    waits.get();
    BOOST_TEST((held->gate(gate)->status == Gate::Status::decided));
}

BOOST_FIXTURE_TEST_CASE(await_change_returns_when_it_is_told_to_stop_or_the_run_is_cancelled,
                        Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    std::stop_source stop;
    auto waits = std::async(std::launch::async, [&] {
        held->await_change({{Wait::On::signal, {}, "x"}}, stop.get_token());
    });
    stop.request_stop();
    waits.get();
    auto second = subject.process();
    waits = std::async(std::launch::async, [&] {
        held->await_change({{Wait::On::signal, {}, "x"}}, {});
    });
    BOOST_TEST(bool(second->cancel(id, "user:ann")));
    waits.get();
    BOOST_TEST(held->cancelled());
    BOOST_TEST(held->stopped().stop_requested());
}

BOOST_FIXTURE_TEST_CASE(recorded_time_never_goes_back_within_a_run, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    subject.clock.advance(Millis(10'000));
    const Time late = held->now();
    BOOST_TEST((commit(*held, completion(step(0, "one"), value("1"))) == Verdict::recorded));
    subject.clock.advance(Millis(-8'000));
    BOOST_TEST((held->now() >= late));
    held.reset();
    held = opened(*first, id);
    BOOST_TEST((held->now() >= late));
    BOOST_TEST((first->head(id)->updated >= late));
}
