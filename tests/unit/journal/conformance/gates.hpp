// Part of the engine conformance suite (conformance.hpp): gates.

BOOST_FIXTURE_TEST_CASE(a_gate_outlives_its_process_and_its_answer_wakes_the_run, Fixture) { // B42
    const auto id = started();
    auto held = opened(*first, id);
    const auto done = held->commit(batch_of(opening(0, "ask")));
    BOOST_TEST((done.verdicts.at(0) == Verdict::recorded));
    const auto gate = done.gate_ids.at(0);
    BOOST_TEST(bool(held->park({{Wait::On::gate, {}, gate}})));
    BOOST_TEST((status(id) == RunStatus::waiting));
    restart();
    const auto listed = first->gates({});
    BOOST_REQUIRE(listed->size() == 1u);
    BOOST_TEST(listed->at(0).id == gate);
    BOOST_TEST(listed->at(0).run == id);
    BOOST_TEST(listed->at(0).root == id);
    BOOST_TEST(listed->at(0).step == "ask");
    BOOST_TEST(listed->at(0).about_json == R"({"tool":"refund","arguments":{"amount":20}})");
    const auto decided = first->answer(answer_to(gate, "ask", "approve"));
    BOOST_REQUIRE(decided);
    BOOST_TEST((status(id) == RunStatus::ready));
    BOOST_TEST(first->gates({})->empty());
    held.reset();
    held = opened(*first, id);
    const auto g = held->gate(gate);
    BOOST_REQUIRE(g.has_value());
    BOOST_TEST((g->status == Gate::Status::decided));
    const auto decision = parse_json(g->decision_json);
    BOOST_TEST(string_member(*decision, "answer").value() == "approve");
    BOOST_TEST(string_member(*decision, "decidedBy").value() == "user:ann");
}

BOOST_FIXTURE_TEST_CASE(of_two_answers_the_first_counts_and_the_second_gets_it, Fixture) { // B42
    auto held = opened(*first, started());
    const auto gate = held->commit(batch_of(opening(0, "ask"))).gate_ids.at(0);
    auto second = subject.process();
    auto a = std::async(std::launch::async,
                        [&] { return first->answer(answer_to(gate, "ask", "approve")); });
    auto b = std::async(std::launch::async,
                        [&] { return second->answer(answer_to(gate, "ask", "reject")); });
    const auto x = a.get(), y = b.get();
    BOOST_TEST(bool(x) != bool(y));
    const auto& loser = x ? y : x;
    BOOST_TEST(loser.error().code == "conflict");
    const auto first_decision = parse_json(loser.error().details);
    BOOST_TEST(string_member(*first_decision, "answer").value() == (x ? "approve" : "reject"));
}

BOOST_FIXTURE_TEST_CASE(a_gate_whose_step_gets_an_outcome_unanswered_is_withdrawn, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    auto asked = opening(0, "ask");
    asked.effects = {put("open", "1")};
    Effect gone = put("open", "");
    gone.kind = Effect::Kind::remove;
    asked.on_close = {gone};
    const auto gate = held->commit(batch_of(std::move(asked))).gate_ids.at(0);
    held.reset();
    restart();
    held = opened(*first, id);
    BOOST_TEST(
        (commit(*held, completion(step(0, "ask", "gate"), value("{}"))) == Verdict::recorded));
    BOOST_TEST(first->gates({})->empty());
    BOOST_TEST((held->gate(gate)->status == Gate::Status::cancelled));
    BOOST_TEST(!first->get(collection, "open")->has_value());
    BOOST_TEST(first->answer(answer_to(gate, "ask", "approve")).error().code == "conflict");
}

BOOST_FIXTURE_TEST_CASE(an_answered_gate_keeps_its_decision_when_its_step_ends, Fixture) {
    auto held = opened(*first, started());
    const auto gate = held->commit(batch_of(opening(0, "ask"))).gate_ids.at(0);
    BOOST_TEST(bool(first->answer(answer_to(gate, "ask", "approve"))));
    BOOST_TEST(
        (commit(*held, completion(step(0, "ask", "gate"), value("{}"))) == Verdict::recorded));
    BOOST_TEST((held->gate(gate)->status == Gate::Status::decided));
}

BOOST_FIXTURE_TEST_CASE(an_answer_to_other_arguments_or_outside_what_is_allowed_is_refused,
                        Fixture) { // B42
    auto held = opened(*first, started());
    const auto gate = held->commit(batch_of(opening(0, "ask"))).gate_ids.at(0);
    BOOST_TEST(first->answer(answer_to(gate, "other", "approve")).error().code == "approval_stale");
    BOOST_TEST(first->answer(answer_to(gate, "ask", "edit")).error().code == "not_allowed");
    BOOST_TEST(
        first->answer(answer_to(new_id(subject.clock.now()), "ask", "approve")).error().code ==
        "not_found");
    BOOST_TEST(first->gates({})->size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(an_answer_after_the_deadline_is_expired_and_the_timeout_counts, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    auto g = opening(0, "ask");
    g.gate.deadline = subject.clock.now() + Millis(1000);
    g.gate.on_timeout = "reject";
    const auto gate = held->commit(batch_of(std::move(g))).gate_ids.at(0);
    BOOST_TEST(bool(held->park({{Wait::On::gate, {}, gate}})));
    subject.clock.advance(Millis(1500));
    BOOST_TEST(first->answer(answer_to(gate, "ask", "approve")).error().code == "expired");
    BOOST_TEST((status(id) == RunStatus::ready));
    held.reset();
    held = opened(*first, id);
    const auto found = held->gate(gate);
    BOOST_TEST((found->status == Gate::Status::expired));
    BOOST_TEST(string_member(*parse_json(found->decision_json), "decidedBy").value() ==
               "system:timeout");
    BOOST_TEST(string_member(*parse_json(found->decision_json), "answer").value() == "reject");
}

BOOST_FIXTURE_TEST_CASE(a_deadline_passes_while_no_process_runs, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    auto g = opening(0, "ask");
    g.gate.deadline = subject.clock.now() + Millis(1000);
    g.gate.on_timeout = "approve";
    const auto gate = held->commit(batch_of(std::move(g))).gate_ids.at(0);
    BOOST_TEST(bool(held->park({{Wait::On::gate, {}, gate}})));
    held.reset();
    restart();
    subject.clock.advance(Millis(5000));
    BOOST_TEST(first->gates({})->empty()); // whoever lists fires it
    BOOST_TEST((status(id) == RunStatus::ready));
}

BOOST_FIXTURE_TEST_CASE(opening_a_gate_again_gives_the_gate_that_is_there, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    const auto gate = held->commit(batch_of(opening(0, "ask"))).gate_ids.at(0);
    BOOST_TEST(held->commit(batch_of(opening(0, "ask"))).gate_ids.at(0) == gate);
    restart();
    held = opened(*first, id);
    const auto again = held->commit(batch_of(opening(0, "ask")));
    BOOST_TEST((again.verdicts.at(0) == Verdict::recorded));
    BOOST_TEST(again.gate_ids.at(0) == gate);
    BOOST_TEST(held->gates().size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(closing_effects_happen_with_the_decision, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    auto g = opening(0, "ask");
    g.effects = {put("agent.pendingApproval", "true")};
    Effect gone = put("agent.pendingApproval", "");
    gone.kind = Effect::Kind::remove;
    g.on_close = {gone};
    const auto gate = held->commit(batch_of(std::move(g))).gate_ids.at(0);
    BOOST_TEST((*first->get(collection, "agent.pendingApproval")).has_value());
    BOOST_TEST(bool(first->answer(answer_to(gate, "ask", "approve"))));
    BOOST_TEST(!(*first->get(collection, "agent.pendingApproval")).has_value());
}

BOOST_FIXTURE_TEST_CASE(a_gate_recorded_as_decided_is_never_listed, Fixture) {
    auto held = opened(*first, started());
    auto g = opening(0, "ask");
    g.gate.status = Gate::Status::decided;
    g.gate.decision_json = R"({"answer":"approve","decidedBy":"system:rule"})";
    const auto gate = held->commit(batch_of(std::move(g))).gate_ids.at(0);
    BOOST_TEST(first->gates({})->empty());
    GateQuery all;
    all.pending_only = false;
    BOOST_TEST(first->gates(all)->size() == 1u);
    BOOST_TEST((held->gate(gate)->status == Gate::Status::decided));
}

BOOST_FIXTURE_TEST_CASE(a_run_that_ends_closes_its_gates, Fixture) {
    auto held = opened(*first, started());
    const auto gate = held->commit(batch_of(opening(0, "ask"))).gate_ids.at(0);
    BOOST_TEST(bool(held->finish(RunStatus::failed, {permanent("x", "x"), "", false})));
    BOOST_TEST(first->gates({})->empty());
    BOOST_TEST(first->answer(answer_to(gate, "ask", "approve")).error().code == "conflict");
}
