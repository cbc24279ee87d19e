// Part of the engine conformance suite (conformance.hpp): store.

BOOST_FIXTURE_TEST_CASE(an_effect_happens_with_its_outcome_and_once, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    auto c = completion(step(0, "set"), value("1"));
    c.effects = {put("k", "1")};
    BOOST_TEST((commit(*held, c) == Verdict::recorded));
    BOOST_TEST((commit(*held, c) == Verdict::conflict));
    BOOST_TEST((*first->get(collection, "k"))->revision == 1u);
    auto failing = completion(step(1, "fails"), Outcome{permanent("no", "no"), "", false});
    failing.effects = {put("k", "2")};
    BOOST_TEST((commit(*held, failing) == Verdict::recorded));
    BOOST_TEST((*first->get(collection, "k"))->value_json == "1");
}

BOOST_FIXTURE_TEST_CASE(a_wrong_revision_refuses_the_whole_item_and_no_other, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    Batch b;
    auto bad = completion(step(0, "bad"), value("1"));
    bad.effects = {put("a", "1"), put("b", "1", 7)};
    auto good = completion(step(1, "good"), value("1"));
    good.effects = {put("c", "1", 0)};
    b.completions = {bad, good};
    const auto done = held->commit(std::move(b));
    BOOST_TEST((done.verdicts == std::vector<Verdict>{Verdict::conflict, Verdict::recorded}));
    BOOST_TEST(!done.explanation.empty());
    BOOST_TEST(!(*first->get(collection, "a")).has_value());
    BOOST_TEST((*first->get(collection, "c")).has_value());
    BOOST_TEST(first->records(id)->size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(revisions_rise_across_a_collection_and_with_deletion, Fixture) {
    Effect gone = put("a", "");
    gone.kind = Effect::Kind::remove;
    const std::vector<Effect> effects = {put("a", "1"), put("b", "2"), put("a", "3"), gone,
                                         put("c", "4")};
    for (const auto& e : effects)
        BOOST_TEST((*first->apply(std::span(&e, 1)) == Verdict::recorded));
    BOOST_TEST(!(*first->get(collection, "a")).has_value());
    BOOST_TEST((*first->get(collection, "b"))->revision == 2u);
    const auto changes = first->changes(collection, 0, 10);
    BOOST_REQUIRE(changes->size() == 3u);
    BOOST_TEST(changes->at(0).key == "b");
    BOOST_TEST(changes->at(1).key == "a");
    BOOST_TEST(changes->at(1).removed);
    BOOST_TEST(changes->at(1).revision == 4u);
    BOOST_TEST(changes->at(2).revision == 5u);
    BOOST_TEST(first->changes(collection, 4, 10)->size() == 1u);
    const Effect fresh = put("a", "9", 0); // deleted: does not exist
    BOOST_TEST((*first->apply(std::span(&fresh, 1)) == Verdict::recorded));
    BOOST_TEST((*first->apply(std::span(&fresh, 1)) == Verdict::conflict));
    // Deleting what is not there changes nothing.
    Effect nothing = put("zz", "");
    nothing.kind = Effect::Kind::remove;
    BOOST_TEST((*first->apply(std::span(&nothing, 1)) == Verdict::recorded));
    BOOST_TEST(first->changes(collection, 6, 10)->empty());
}

BOOST_FIXTURE_TEST_CASE(effects_of_one_item_see_each_other, Fixture) {
    Effect gone = put("a", "");
    gone.kind = Effect::Kind::remove;
    const std::vector<Effect> effects = {put("a", "1", 0), put("a", "2", 1), gone,
                                         put("a", "3", 0)};
    BOOST_TEST((*first->apply(effects) == Verdict::recorded));
    BOOST_TEST((*first->get(collection, "a"))->value_json == "3");
    BOOST_TEST((*first->get(collection, "a"))->revision == 4u);
    BOOST_TEST(first->changes(collection, 0, 10)->size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(adding_sums_numbers_and_members, Fixture) {
    const auto add = [&](const std::string& key, const std::string& json) {
        Effect e = put(key, "");
        e.kind = Effect::Kind::add;
        e.add_json = json;
        return *first->apply(std::span(&e, 1));
    };
    BOOST_TEST((add("n", "2") == Verdict::recorded));
    BOOST_TEST((add("n", "40") == Verdict::recorded));
    BOOST_TEST((*first->get(collection, "n"))->value_json == "42");
    BOOST_TEST((add("o", R"({"input":1})") == Verdict::recorded));
    BOOST_TEST((add("o", R"({"input":2,"output":0.5})") == Verdict::recorded));
    BOOST_TEST((*first->get(collection, "o"))->value_json == R"({"input":3,"output":0.5})");
    BOOST_TEST((add("o", "1") == Verdict::conflict));
}

BOOST_FIXTURE_TEST_CASE(long_keys_are_told_apart_sorted_and_survive_deletes, Fixture) {
    // Keys of 500 code points that share more than the 400 bytes that fit into an index.
    std::string base;
    for (int i = 0; i < 490; ++i) base += "é";
    std::vector<std::string> keys;
    for (const auto& tail : {"zz", "a", "é", "aa", "b", ""}) keys.push_back(base + tail);
    keys.push_back(std::string(399, 'x'));
    keys.push_back(std::string(399, 'x') + "a");
    keys.push_back(std::string(399, 'x') + "é and more");
    keys.push_back(std::string(399, 'x') + std::string("\0nul", 4));
    for (const auto& k : keys) {
        const Effect e = put(k, foxwedge::quoted(std::to_string(k.size())));
        BOOST_TEST((*first->apply(std::span(&e, 1)) == Verdict::recorded));
    }
    std::sort(keys.begin(), keys.end());
    for (const auto& k : keys)
        BOOST_TEST((*first->get(collection, k))->value_json ==
                   foxwedge::quoted(std::to_string(k.size())));
    // By pages of two, each page's last key deleted before the next is asked for.
    std::vector<std::string> seen;
    std::string after;
    while (true) {
        const auto page = first->scan(collection, "", after, 2);
        BOOST_REQUIRE(page);
        if (page->empty()) break;
        for (const auto& item : *page) seen.push_back(item.key);
        after = page->back().key;
        Effect gone = put(after, "");
        gone.kind = Effect::Kind::remove;
        BOOST_TEST((*first->apply(std::span(&gone, 1)) == Verdict::recorded));
    }
    BOOST_TEST((seen == keys));
    BOOST_TEST(first->scan(collection, base + "a", "", 10)->size() <= 2u);
}

BOOST_FIXTURE_TEST_CASE(a_scan_keeps_to_its_prefix_and_collection, Fixture) {
    Effect other = put("a/1", "0");
    other.collection = collection_name("capability-kv", "conversation", "demo");
    const std::vector<Effect> effects = {put("a/1", "1"), put("a/2", "2"), put("b", "3"),
                                         put("a", "4"), other};
    BOOST_TEST((*first->apply(effects) == Verdict::recorded));
    const auto found = first->scan(collection, "a/", "", 10);
    BOOST_REQUIRE(found->size() == 2u);
    BOOST_TEST(found->at(0).key == "a/1");
    BOOST_TEST(found->at(0).value_json == "1");
    BOOST_TEST(first->scan(collection, "a/", "a/1", 10)->size() == 1u);
    BOOST_TEST(first->scan(collection, "", "", 2)->size() == 2u);
}

BOOST_FIXTURE_TEST_CASE(large_store_values_come_back_whole, Fixture) {
    const std::string text = foxwedge::quoted(std::string(2u << 20, 'v'));
    const std::vector<Effect> effects = {put("large", text)};
    BOOST_TEST((*first->apply(effects) == Verdict::recorded));
    BOOST_TEST(((*first->get(collection, "large"))->value_json == text));
    const std::vector<Effect> over = {put("x", std::string(5u << 20, '1'))};
    BOOST_TEST((*first->apply(over) == Verdict::full));
}
