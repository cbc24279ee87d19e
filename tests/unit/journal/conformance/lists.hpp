// Part of the engine conformance suite (conformance.hpp): lists.

BOOST_FIXTURE_TEST_CASE(runs_are_listed_newest_first_by_pages_and_filters, Fixture) {
    std::vector<std::string> ids;
    for (int i = 0; i < 7; ++i) {
        subject.clock.advance(Millis(1));
        auto run = new_run();
        if (i % 2 == 1) run.workflow = "odd";
        ids.insert(ids.begin(), started(run));
    }
    std::vector<std::string> seen;
    RunQuery q;
    q.limit = 3;
    for (int page = 0; page < 4; ++page) {
        const auto rows = first->runs(q);
        for (const auto& h : *rows) seen.push_back(h.id);
        if (!seen.empty()) q.after = seen.back();
    }
    BOOST_TEST(seen == ids, boost::test_tools::per_element());
    RunQuery odd;
    odd.workflow = "odd";
    BOOST_TEST(first->runs(odd)->size() == 3u);
    RunQuery one;
    one.id_prefix = ids[2].substr(0, 26);
    BOOST_TEST(first->runs(one)->size() == 1u);
    one.id_prefix = ids[2].substr(0, 8);
    BOOST_TEST(first->runs(one)->size() == 7u);
    RunQuery since;
    since.since = first->head(ids[1])->created;
    BOOST_TEST(first->runs(since)->size() == 2u);
    auto held = opened(*first, ids[4]);
    RunQuery running;
    running.status = {RunStatus::running};
    BOOST_TEST(first->runs(running)->size() == 1u);
    running.status = {RunStatus::running, RunStatus::ready};
    BOOST_TEST(first->runs(running)->size() == 7u);
    seen.clear();
    RunQuery several; // the one that runs stands among the others, by its age
    several.status = {RunStatus::running, RunStatus::ready, RunStatus::running};
    several.limit = 2;
    for (int page = 0; page < 5; ++page) {
        const auto rows = first->runs(several);
        for (const auto& h : *rows) seen.push_back(h.id);
        if (!seen.empty()) several.after = seen.back();
    }
    BOOST_TEST(seen == ids, boost::test_tools::per_element());
    running.status = {RunStatus::stuck};
    BOOST_TEST(first->runs(running)->empty());
}

BOOST_FIXTURE_TEST_CASE(runs_since_are_those_made_since_children_of_older_roots_too, Fixture) {
    const Millis day{86'400'000};
    const auto root = started();
    auto held = opened(*first, root);
    ChildStart child{step(0, "child", "child"), 0, new_run()};
    child.run.id = derived_id(root, sha256("early"));
    BOOST_TEST((commit(*held, child) == Verdict::recorded));
    subject.clock.advance(day);
    (void)started();
    subject.clock.advance(day);
    const auto since = subject.clock.now();
    ChildStart late{step(1, "late", "child"), 0, new_run()};
    late.run.id = derived_id(root, sha256("late"));
    late.run.workflow = "odd";
    BOOST_TEST((commit(*held, late) == Verdict::recorded));
    subject.clock.advance(Millis(5));
    const auto young = started();

    const auto listed = [&](RunQuery q) {
        q.since = since;
        const auto found = first->runs(q);
        std::vector<std::string> ids;
        for (const auto& head : *found) ids.push_back(head.id);
        return ids;
    };
    using Ids = std::vector<std::string>;
    BOOST_TEST(listed({}) == (Ids{young, late.run.id}), boost::test_tools::per_element());
    RunQuery pages;
    pages.limit = 1;
    BOOST_TEST(listed(pages) == Ids{young}, boost::test_tools::per_element());
    pages.after = young;
    BOOST_TEST(listed(pages) == Ids{late.run.id}, boost::test_tools::per_element());
    pages.after = late.run.id;
    BOOST_TEST(listed(pages).empty());
    RunQuery some;
    some.workflow = "odd";
    BOOST_TEST(listed(some) == Ids{late.run.id}, boost::test_tools::per_element());
    RunQuery ready;
    ready.status = {RunStatus::ready};
    BOOST_TEST(listed(ready) == (Ids{young, late.run.id}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(gates_are_listed_oldest_first_by_pages_and_filters, Fixture) {
    std::vector<std::string> gates, runs;
    for (int i = 0; i < 5; ++i) {
        subject.clock.advance(Millis(1));
        runs.push_back(started());
        auto held = opened(*first, runs.back());
        gates.push_back(held->commit(batch_of(opening(0, "ask"))).gate_ids.at(0));
        BOOST_TEST(bool(held->park({{Wait::On::gate, {}, gates.back()}})));
    }
    std::vector<std::string> seen;
    GateQuery q;
    q.limit = 2;
    for (int page = 0; page < 4; ++page) {
        const auto rows = first->gates(q);
        for (const auto& g : *rows) seen.push_back(g.id);
        q.after = seen.back();
    }
    BOOST_TEST(seen == gates, boost::test_tools::per_element());
    GateQuery of_run;
    of_run.run = runs[3];
    BOOST_TEST(first->gates(of_run)->at(0).id == gates[3]);
    GateQuery by_prefix;
    by_prefix.id_prefix = gates[1];
    BOOST_TEST(first->gates(by_prefix)->size() == 1u);
    GateQuery other_kind;
    other_kind.kind = "input";
    BOOST_TEST(first->gates(other_kind)->empty());
}
