// What the check of plugins is made of: values made up for schemas, a store that forgets attempts,
// reports. The check itself is driven by tests/end_to_end/plugin_check_test.py.
#include <boost/test/unit_test.hpp>

#include "plugin/conformance/example.hpp"
#include "plugin/conformance/report.hpp"
#include "plugin/conformance/store.hpp"
#include "schema/schema.hpp"

using namespace foxwedge;
using namespace foxwedge::plugin::conformance;

namespace {

std::optional<Json> example(std::string_view schema) {
    const auto json = parse_json(schema);
    BOOST_REQUIRE_MESSAGE(json.ok(), schema);
    return example_of(*json);
}

StoreOp op(StoreOp::Kind kind, std::string key, std::string value = {}) {
    StoreOp made;
    made.kind = kind;
    made.scope = "project";
    made.key = std::move(key);
    (kind == StoreOp::Kind::add ? made.by_json : made.value_json) = std::move(value);
    return made;
}
StoreAnswer answer(TrialStore& store, const StoreOp& asked) {
    auto answers = store.apply("plugin", {&asked, 1});
    BOOST_REQUIRE(answers.ok());
    return answers->front();
}

} // namespace

BOOST_AUTO_TEST_SUITE(conformance)

BOOST_AUTO_TEST_CASE(a_value_is_made_up_for_what_schemas_mostly_say) {
    for (const auto* schema : {
             R"({"type": "object"})",
             R"({"type": "object", "properties": {"a": {"type": "string", "minLength": 20}},
                 "required": ["a"], "additionalProperties": false})",
             R"({"type": "object", "properties": {"n": {"type": "integer", "minimum": 7}},
                 "required": ["n"]})",
             R"({"type": "object", "properties": {"n": {"type": "number", "exclusiveMinimum": 4,
                 "maximum": 6}}, "required": ["n"]})",
             R"({"type": "array", "minItems": 2, "items": {"enum": ["x", "y"]}})",
             R"({"type": "object", "properties": {"s": {"type": "string", "maxLength": 2}},
                 "required": ["s"]})",
             R"({"oneOf": [{"type": "object", "properties": {"action": {"const": "get"}},
                            "required": ["action"]},
                           {"type": "object", "properties": {"action": {"const": "put"}},
                            "required": ["action", "value"]}]})",
             R"({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "required": ["a"],
                 "$defs": {"a": {"type": ["boolean", "null"]}}})",
             R"({"type": "string", "format": "date-time"})",
         }) {
        const auto made = example(schema);
        BOOST_REQUIRE_MESSAGE(made, schema);
        BOOST_TEST(schema::Schema::compile(*parse_json(schema))->valid(*made), schema);
    }
}

BOOST_AUTO_TEST_CASE(examples_go_before_and_stand_in_for_what_cannot_be_made_up) {
    BOOST_TEST(to_text(*example(R"({"type": "string", "examples": ["mine"]})")) == "\"mine\"");
    BOOST_TEST(!example(R"({"type": "string", "pattern": "^[0-9]{4}$"})"));
    BOOST_TEST(example(R"({"type": "string", "pattern": "^[0-9]{4}$", "examples": ["1234"]})")
                   .has_value());
    BOOST_TEST(!example(R"({"$ref": "#"})"));
    BOOST_TEST(!example(R"({"type": 7})"));
}

BOOST_AUTO_TEST_CASE(an_attempt_that_is_thrown_away_has_not_been) {
    using Kind = StoreOp::Kind;
    TrialStore store("/nowhere");
    BOOST_TEST(answer(store, op(Kind::add, "n", "2")).value_json == "2");
    BOOST_TEST(answer(store, op(Kind::get, "n")).found); // a call sees its own writes
    store.discard();
    BOOST_TEST(!answer(store, op(Kind::get, "n")).found);
    answer(store, op(Kind::put, "n", "40"));
    store.commit();
    BOOST_TEST(answer(store, op(Kind::add, "n", "2")).value_json == "42");
    BOOST_TEST(answer(store, op(Kind::add, "m", R"({"a": 1})")).value_json == R"({"a":1})");
    BOOST_TEST(store.writes() == 2u);
    BOOST_TEST(answer(store, op(Kind::remove, "n")).found);
    auto stale = op(Kind::put, "n", "1");
    stale.expect = 9;
    BOOST_TEST(store.apply("plugin", {&stale, 1}).error().code == "conflict");
}

BOOST_AUTO_TEST_CASE(one_failure_is_enough_not_to_conform_and_a_gap_is_told) {
    Report report;
    Ledger ledger(report, "file");
    BOOST_TEST(ledger.note("a", "the first promise", ""));
    ledger.skip("b", "the second", "nobody could tell");
    BOOST_TEST(report.conforms());
    BOOST_TEST(!ledger.note("c", "the third", "it broke"));
    BOOST_TEST(!report.conforms());
    const auto json = to_json(report);
    BOOST_TEST(json.at("failed").to_number<int>() == 1);
    BOOST_TEST(json.at("skipped").to_number<int>() == 1);
    BOOST_TEST(view(json.at("findings").as_array().at(2).at("detail").as_string()) == "it broke");
}

BOOST_AUTO_TEST_SUITE_END()
