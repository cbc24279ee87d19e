// Schemas and values from strangers: all work is bounded, nothing recurses.
#include <ctime>
#include <thread>

#include <pthread.h>

#include <boost/json/monotonic_resource.hpp>

#include "support.hpp"

using namespace foxwedge;
using namespace foxwedge::schema;

namespace {

/// `depth` arrays in each other. Its storage frees without visiting, as no destructor could.
Json nested(std::size_t depth, boost::json::monotonic_resource& memory) {
    Json value(&memory);
    for (std::size_t i = 0; i < depth; ++i) {
        JsonArray outer(&memory);
        outer.emplace_back(std::move(value));
        value = std::move(outer);
    }
    return value;
}

/// Runs `work` on a thread whose stack has 256 KiB.
template <class Work>
void on_a_small_stack(Work work) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    pthread_t thread{};
    auto entry = [](void* argument) -> void* {
        (*static_cast<Work*>(argument))();
        return nullptr;
    };
    BOOST_TEST_REQUIRE(pthread_create(&thread, &attributes, entry, &work) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

} // namespace

BOOST_AUTO_TEST_SUITE(hostile)

BOOST_AUTO_TEST_CASE(values_of_any_depth_are_judged_on_a_small_stack) { // B60
    boost::json::monotonic_resource memory;
    auto deep = nested(100'000, memory);
    auto schema = compiled(R"({"$ref":"#/$defs/list","$defs":{"list":{"anyOf":[{"type":"null"},
        {"type":"array","items":{"$ref":"#/$defs/list"}}]}}})");
    auto loose = compiled(R"({"items":{"$ref":"#"}})");
    auto unique = compiled(R"({"uniqueItems":true,"enum":[[],[[1]]]})");
    bool valid = false;
    bool valid_too = false;
    bool refused = false;
    on_a_small_stack([&] {
        valid = schema.valid(deep);
        valid_too = loose.check(deep).empty();
        refused = !unique.valid(deep);
    });
    BOOST_TEST(valid);
    BOOST_TEST(valid_too);
    BOOST_TEST(refused);
}

BOOST_AUTO_TEST_CASE(a_deep_schema_is_refused_before_anything_copies_it) { // B60
    boost::json::monotonic_resource memory;
    auto deep = nested(100'000, memory);
    std::string code;
    on_a_small_stack([&] {
        auto result = Schema::compile(deep);
        if (!result) code = result.error().code;
    });
    BOOST_TEST(code == "schema_too_complex");
}

BOOST_AUTO_TEST_CASE(the_deepest_schema_allowed_compiles_on_a_small_stack) {
    std::string schema = "{}";
    for (int i = 0; i < 126; ++i) schema = "{\"not\":" + schema + "}";
    bool fine = false;
    on_a_small_stack([&] {
        auto result = Schema::compile(*parse_json(schema));
        fine = result && result->valid(Json(1));
    });
    BOOST_TEST(fine);
}

BOOST_AUTO_TEST_CASE(large_schemas_are_refused) { // B59
    std::string many = R"({"anyOf":[{})";
    for (int i = 0; i < 6'000; ++i) many += ",{}";
    BOOST_TEST(refused(many + "]}").code == "schema_too_complex");
    BOOST_TEST(refused("{\"description\":\"" + std::string(300'000, 'x') + "\"}").code ==
               "schema_too_complex");
    compiled("{\"description\":\"" + std::string(200'000, 'x') + "\"}");
}

BOOST_AUTO_TEST_CASE(nested_alternatives_are_cut_off) { // B59
    std::string schema = R"({"$ref":"#/$defs/a0","$defs":{)";
    for (int i = 0; i < 40; ++i) {
        auto next = "{\"$ref\":\"#/$defs/a" + std::to_string(i + 1) + "\"}";
        schema += "\"a" + std::to_string(i) + "\":{\"anyOf\":[" + next + "," + next + "]},";
    }
    auto hostile = compiled(schema + R"("a40":{"type":"null"}}})");
    BOOST_TEST(hostile.valid(Json(nullptr)));
    BOOST_TEST(!hostile.valid(Json(1)));
    auto violations = hostile.check(Json(1));
    BOOST_TEST_REQUIRE(!violations.empty());
    BOOST_TEST(violations.back().message.find("schema_too_complex") == 0U);
}

BOOST_AUTO_TEST_CASE(runaway_patterns_do_not_exist) { // B59
    auto schema =
        compiled(R"({"type":"object","properties":{"q":{"type":"string","pattern":"^(a|a)*$"}}})");
    JsonObject value;
    value["q"] = std::string(100'000, 'a') + "!";
    BOOST_TEST(!schema.valid(value));
    auto large = compiled(R"({"pattern":"(a{1,200}){1,200}"})");
    BOOST_TEST(large.warnings().size() == 1U);
}

BOOST_AUTO_TEST_CASE(long_lists_are_compared_by_digest) {
    auto schema = compiled(R"({"uniqueItems":true})");
    JsonArray list;
    for (int i = 0; i < 100'000; ++i)
        list.emplace_back(JsonArray{i, JsonObject{{"a", i}, {"b", 0}}});
    BOOST_TEST(schema.valid(list));
    list.emplace_back(JsonArray{7.0, JsonObject{{"b", 0}, {"a", 7}}});
    BOOST_TEST(!schema.valid(list));
}

BOOST_AUTO_TEST_CASE(many_required_names_and_choices_cost_little) {
    std::string names;
    std::string members;
    for (int i = 0; i < 15'000; ++i) {
        names += (i ? ",\"" : "\"") + std::to_string(i) + "\"";
        members += (i ? ",\"" : "\"") + std::to_string(i) + "\":0";
    }
    auto required = compiled("{\"required\":[" + names + "]}");
    BOOST_TEST(required.valid(json("{" + members + "}")));
    BOOST_TEST(!required.valid(json("{\"0\":1}")));
    auto choice = compiled("{\"items\":{\"enum\":[" + names + "]}}");
    BOOST_TEST(choice.valid(json("[" + names + "]")));
    BOOST_TEST(!choice.valid(json(R"(["none"])")));
}

BOOST_AUTO_TEST_CASE(one_schema_serves_many_threads) {
    auto schema = compiled(R"({"items":{"anyOf":[{"type":"null"},{"pattern":"^a"}]}})");
    auto good = json(R"([null,"ab"])");
    auto bad = json(R"([null,"b",1])");
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 500; ++i)
                if (!schema.valid(good) || schema.check(bad).empty()) ++wrong;
        });
    for (auto& thread : threads) thread.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()
