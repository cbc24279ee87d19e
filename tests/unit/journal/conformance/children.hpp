// Part of the engine conformance suite (conformance.hpp): children.

ChildStart child_of(const StepKey& key, const std::string& id) {
    ChildStart c;
    c.key = key;
    c.run = new_run();
    c.run.workflow = "child";
    c.run.id = id;
    return c;
}

BOOST_FIXTURE_TEST_CASE(a_child_is_made_with_its_record_and_joined_when_asked_again, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    const auto kid = derived_id(id, sha256("kid"));
    BOOST_TEST((commit(*held, child_of(step(0, "kid", "child"), kid)) == Verdict::recorded));
    BOOST_TEST((commit(*held, child_of(step(0, "kid", "child"), kid)) == Verdict::recorded));
    const auto head = first->head(kid);
    BOOST_REQUIRE(head);
    BOOST_TEST(head->parent == id);
    BOOST_TEST(head->root == id);
    RunQuery children;
    children.parent = id;
    BOOST_TEST(first->runs(children)->size() == 1u);
    const auto stranger = started();
    BOOST_TEST((commit(*held, child_of(step(1, "other", "child"), stranger)) == Verdict::conflict));
}

BOOST_FIXTURE_TEST_CASE(ends_of_children_come_in_the_order_in_which_they_became_durable, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    std::vector<std::string> kids;
    for (std::uint32_t i = 0; i < 3; ++i) {
        kids.push_back(derived_id(id, sha256(std::to_string(i))));
        BOOST_TEST((commit(*held, child_of(step(i, "kid" + std::to_string(i), "child"),
                                           kids.back())) == Verdict::recorded));
    }
    for (const int i : {2, 0}) {
        auto kid = opened(*first, kids[i]);
        BOOST_TEST(bool(kid->finish(RunStatus::succeeded, value(std::to_string(i)))));
    }
    const auto before = held->inbox();
    BOOST_REQUIRE(before.size() == 2u);
    BOOST_TEST(before[0].child == kids[2]);
    BOOST_TEST(before[0].outcome.value_json == "2");
    BOOST_TEST(before[1].child == kids[0]);
    BOOST_TEST(bool(held->park({{Wait::On::child, {}, kids[1]}})));
    BOOST_TEST((status(id) == RunStatus::waiting));
    auto last = opened(*first, kids[1]);
    BOOST_TEST(bool(last->finish(RunStatus::failed, {permanent("no", "no"), "", false})));
    BOOST_TEST((status(id) == RunStatus::ready));
    held.reset();
    held = opened(*first, id);
    const auto after = held->inbox();
    BOOST_REQUIRE(after.size() == 3u);
    BOOST_TEST(after[0].child == kids[2]);
    BOOST_TEST((after[2].status == RunStatus::failed));
    BOOST_TEST(after[2].outcome.error->code == "no");
}
