// Part of the engine conformance suite (conformance.hpp): steps.

BOOST_FIXTURE_TEST_CASE(a_run_that_was_started_is_ready_and_has_what_it_was_given, Fixture) {
    const auto id = started(new_run("", R"({"ticket":7})"));
    const auto head = first->head(id);
    BOOST_REQUIRE(head);
    BOOST_TEST(is_id(id));
    BOOST_TEST((head->status == RunStatus::ready));
    BOOST_TEST(head->input_json == R"({"ticket":7})");
    BOOST_TEST(head->config_json == R"({"agents":{}})");
    BOOST_TEST(head->root == id);
    BOOST_TEST(head->parent == "");
    BOOST_TEST((head->created == subject.clock.now()));
    BOOST_TEST(first->head(new_id(subject.clock.now())).error().code == "not_found");
}

BOOST_FIXTURE_TEST_CASE(the_same_start_key_gives_the_same_run_and_another_input_conflicts,
                        Fixture) {
    const auto id = started(new_run("k1"));
    auto again = first->start(new_run("k1"));
    BOOST_REQUIRE(again);
    BOOST_TEST(again->existed);
    BOOST_TEST(again->run == id);
    BOOST_TEST(first->start(new_run("k1", "2")).error().code == "key_conflict");
    auto elsewhere = new_run("k1", "2");
    elsewhere.workflow = "other";
    BOOST_TEST(first->start(elsewhere)->existed == false);
}

BOOST_FIXTURE_TEST_CASE(of_two_starters_one_starts_and_both_get_the_run, Fixture) {
    auto second = subject.process();
    auto a = std::async(std::launch::async, [&] { return first->start(new_run("race")); });
    auto b = std::async(std::launch::async, [&] { return second->start(new_run("race")); });
    const auto x = a.get(), y = b.get();
    BOOST_REQUIRE((x && y));
    BOOST_TEST(x->run == y->run);
    BOOST_TEST(x->existed != y->existed);
}

BOOST_FIXTURE_TEST_CASE(a_held_run_is_not_given_to_another_process, Fixture) { // B44
    const auto id = started();
    auto held = opened(*first, id);
    auto second = subject.process();
    BOOST_TEST(error_of_open(*second, id) == "run_held");
    BOOST_TEST((status(id) == RunStatus::running));
    held.reset();
    BOOST_TEST((status(id) == RunStatus::ready));
    BOOST_TEST(error_of_open(*second, id) == "");
}

BOOST_FIXTURE_TEST_CASE(of_eight_processes_that_open_one_run_one_gets_it, Fixture) { // B44
    const auto id = started();
    std::vector<std::unique_ptr<Engine>> engines;
    for (int i = 0; i < 8; ++i) engines.push_back(subject.process());
    std::vector<std::future<Result<std::unique_ptr<Activation>>>> tries;
    for (auto& e : engines)
        tries.push_back(std::async(std::launch::async, [&e, &id] { return e->open(id); }));
    int got = 0;
    std::vector<std::unique_ptr<Activation>> kept;
    for (auto& t : tries) {
        auto r = t.get();
        if (r)
            kept.push_back(*std::move(r));
        else
            BOOST_TEST(r.error().code == "run_held");
        got += r ? 1 : 0;
    }
    BOOST_TEST(got == 1);
}

BOOST_FIXTURE_TEST_CASE(a_committed_outcome_is_there_after_the_process_was_killed, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    BOOST_TEST((commit(*held, completion(step(0, "one"), value("41"))) == Verdict::recorded));
    restart();
    held.reset();
    auto again = opened(*first, id);
    BOOST_REQUIRE(again->records().size() == 1u);
    const auto& r = again->records()[0];
    BOOST_TEST(r.key.name == "one");
    BOOST_TEST(r.key.kind == "task");
    BOOST_TEST((r.key.inputs == sha256("one")));
    BOOST_REQUIRE(r.outcome.has_value());
    BOOST_TEST(r.outcome->value_json == "41");
    BOOST_TEST(r.attempts.size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_step_killed_in_its_body_has_its_intent_and_no_outcome, Fixture) { // B41
    const auto id = started();
    auto held = opened(*first, id);
    BOOST_TEST((commit(*held, Intent{step(0, "pay")}) == Verdict::recorded));
    restart();
    held.reset();
    auto again = opened(*first, id);
    BOOST_REQUIRE(again->records().size() == 1u);
    BOOST_TEST(again->records()[0].intent);
    BOOST_TEST(!again->records()[0].outcome.has_value());
    BOOST_TEST((commit(*again, Intent{step(0, "pay")}) == Verdict::recorded));
}

BOOST_FIXTURE_TEST_CASE(the_process_that_died_cannot_write_any_more, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    restart();
    BOOST_TEST((commit(*held, completion(step(0, "one"), value("1"))) != Verdict::recorded));
    BOOST_TEST(first->records(id)->empty());
}

BOOST_FIXTURE_TEST_CASE(a_late_owner_is_refused_after_a_takeover, Fixture) {
    const auto id = started();
    auto late = opened(*first, id);
    auto second = subject.process();
    OpenOptions take_over;
    take_over.take_over = true;
    auto taken = opened(*second, id, take_over);
    BOOST_TEST((commit(*taken, completion(step(0, "one"), value("2"))) == Verdict::recorded));
    BOOST_TEST((commit(*late, completion(step(0, "one"), value("1"))) == Verdict::lost));
    BOOST_TEST(late->stopped().stop_requested());
    BOOST_TEST(late->finish(RunStatus::succeeded, value("1")).error().code == "lease_lost");
    late.reset(); // and gives nothing up that is not its own
    BOOST_TEST((status(id) == RunStatus::running));
    BOOST_TEST(first->records(id)->at(0).outcome->value_json == "2");
    BOOST_TEST(taken->run().epoch == 2u);
}

BOOST_FIXTURE_TEST_CASE(a_finished_step_cannot_be_finished_again, Fixture) {
    auto held = opened(*first, started());
    BOOST_TEST((commit(*held, completion(step(0, "one"), value("1"))) == Verdict::recorded));
    BOOST_TEST((commit(*held, completion(step(0, "one"), value("2"))) == Verdict::conflict));
    BOOST_TEST((commit(*held, completion(step(0, "another"), value("2"))) == Verdict::conflict));
}

BOOST_FIXTURE_TEST_CASE(attempts_add_up_until_the_outcome, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    for (int n = 1; n <= 2; ++n)
        BOOST_TEST(
            (commit(*held, completion(step(0, "call"), std::nullopt, n)) == Verdict::recorded));
    auto last = completion(step(0, "call"), value("3"), 3);
    last.usage_json = R"({"input":10})";
    last.trace_id = "abc";
    BOOST_TEST((commit(*held, std::move(last)) == Verdict::recorded));
    const auto records = first->records(id);
    BOOST_REQUIRE((records && records->size() == 1));
    const auto& r = records->front();
    BOOST_REQUIRE(r.attempts.size() == 3u);
    BOOST_TEST(r.attempts[0].error->code == "busy");
    BOOST_TEST(r.attempts[2].number == 3);
    BOOST_TEST(r.usage_json == R"({"input":10})");
    BOOST_TEST(r.trace_id == "abc");
}

BOOST_FIXTURE_TEST_CASE(a_retry_appends_the_next_generation_and_keeps_the_old_one, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    const Outcome broken{permanent("refused", "no"), "", false};
    BOOST_TEST((commit(*held, completion(step(0, "call"), broken)) == Verdict::recorded));
    BOOST_TEST(bool(held->finish(RunStatus::failed, broken)));
    BOOST_TEST(error_of_open(*first, id) == "run_finished");
    held = opened(*first, id, {false, true});
    BOOST_TEST(held->run().retried_at >= held->records()[0].sequence);
    auto next = completion(step(0, "call"), value("1"));
    next.generation = 1;
    BOOST_TEST((commit(*held, std::move(next)) == Verdict::recorded));
    auto third = completion(step(0, "call"), value("2"));
    third.generation = 2;
    BOOST_TEST((commit(*held, std::move(third)) == Verdict::conflict));
    const auto records = first->records(id);
    BOOST_REQUIRE(records->size() == 2u);
    BOOST_TEST(records->at(0).outcome->error->code == "refused");
    BOOST_TEST(records->at(1).generation == 1u);
    BOOST_TEST(records->at(1).outcome->value_json == "1");
}

BOOST_FIXTURE_TEST_CASE(records_come_by_lane_and_index_with_rising_sequences, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    Batch b;
    for (const auto& [lane, index] : std::vector<std::pair<std::string, std::uint32_t>>{
             {"1.1", 0}, {"1.0", 1}, {"", 1}, {"1.0", 0}, {"", 0}}) {
        auto c = completion(step(index, lane + "/" + std::to_string(index)), value("0"));
        c.key.lane = lane;
        b.completions.push_back(std::move(c));
    }
    const auto done = held->commit(std::move(b));
    BOOST_TEST(done.verdicts.size() == 5u);
    std::vector<std::string> names;
    std::set<std::uint64_t> sequences;
    const auto records = first->records(id);
    for (const auto& r : *records) {
        names.push_back(r.key.name);
        sequences.insert(r.sequence);
    }
    const std::vector<std::string> expected = {"/0", "/1", "1.0/0", "1.0/1", "1.1/0"};
    BOOST_TEST(names == expected, boost::test_tools::per_element());
    BOOST_TEST(sequences.size() == 5u);
}

BOOST_FIXTURE_TEST_CASE(values_of_every_size_come_back_whole, Fixture) {
    const auto id = started(new_run("", foxwedge::quoted(std::string(100'000, 'i'))));
    auto held = opened(*first, id);
    const std::vector<std::size_t> sizes = {1,    300,  1200, 1250, 1260,    1261,     1300,
                                            2600, 4094, 4096, 9000, 300'000, 1'000'000};
    std::uint32_t index = 0;
    for (const std::size_t size : sizes) {
        const std::string text =
            foxwedge::quoted(std::string(size, static_cast<char>('a' + index)));
        const auto key = step(index++, "size " + std::to_string(size));
        BOOST_TEST((commit(*held, completion(key, value(text))) == Verdict::recorded));
    }
    held.reset();
    held = opened(*first, id);
    BOOST_TEST(held->run().input_json.size() == 100'002u);
    BOOST_REQUIRE(held->records().size() == sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i)
        BOOST_TEST((held->records()[i].outcome->value_json ==
                    foxwedge::quoted(std::string(sizes[i], static_cast<char>('a' + i)))));
}

BOOST_FIXTURE_TEST_CASE(what_is_over_a_limit_is_full_and_leaves_its_neighbours_alone, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    Batch b;
    b.completions.push_back(completion(step(0, "small"), value("1")));
    b.completions.push_back(
        completion(step(1, "large"), value(foxwedge::quoted(std::string(9u << 20, 'x')))));
    b.completions.push_back(completion(step(2, std::string(513, 'n')), value("1")));
    b.completions.push_back(completion(step(3, "last"), value("2")));
    const auto done = held->commit(std::move(b));
    const std::vector<Verdict> expected = {Verdict::recorded, Verdict::full, Verdict::full,
                                           Verdict::recorded};
    BOOST_TEST((done.verdicts == expected));
    BOOST_TEST(done.explanation.find("large") != std::string::npos);
    BOOST_TEST(first->records(id)->size() == 2u);
}

BOOST_FIXTURE_TEST_CASE(a_checkpoint_is_overwritten_and_goes_with_the_outcome, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    BOOST_TEST((commit(*held, Checkpoint{step(0, "poll"), 0, "a", {}}) == Verdict::recorded));
    BOOST_TEST((commit(*held, Checkpoint{step(0, "poll"), 0, "b", {}}) == Verdict::recorded));
    restart();
    held = opened(*first, id);
    BOOST_REQUIRE(held->records().size() == 1u);
    BOOST_TEST(held->records()[0].checkpoint == "b");
    BOOST_TEST((commit(*held, Checkpoint{step(0, "poll"), 0, std::string(65u << 10, 'x'), {}}) ==
                Verdict::full));
    BOOST_TEST((commit(*held, completion(step(0, "poll"), value("1"))) == Verdict::recorded));
    BOOST_TEST(first->records(id)->at(0).checkpoint == "");
    BOOST_TEST((commit(*held, Checkpoint{step(0, "poll"), 0, "c", {}}) == Verdict::conflict));
}
