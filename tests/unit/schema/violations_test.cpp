// What is said about values that do not conform.
#include "support.hpp"

using namespace foxwedge;
using namespace foxwedge::schema;

BOOST_AUTO_TEST_SUITE(violations_)

BOOST_AUTO_TEST_CASE(all_violations_are_named_with_both_pointers) {
    auto schema = compiled(R"({"type":"object","properties":{"city":{"type":"string","minLength":1},
        "units":{"enum":["metric","imperial"]},"days":{"type":"integer","minimum":1,"maximum":14}},
        "required":["city","days"],"additionalProperties":false})");
    BOOST_TEST(violations(schema, R"({"units":"metrik","days":50,"day":1})") ==
               "/units | /properties/units/enum | must be one of \"metric\", \"imperial\"; "
               "\"metrik\" is not (did you mean \"metric\"?)\n"
               "/days | /properties/days/maximum | must be at most 14, not 50\n"
               "/day | /additionalProperties | the property \"day\" is not known; did you mean "
               "\"days\"?\n"
               " | /required | the property \"city\" is missing");
    BOOST_TEST(violations(schema, R"({"city":"Oslo","days":"3"})") ==
               "/days | /properties/days/type | must be an integer, not the string \"3\"");
    BOOST_TEST(violations(schema, R"({"city":"Oslo","days":3})").empty());
}

BOOST_AUTO_TEST_CASE(pointers_go_through_references_arrays_and_odd_names) {
    auto schema = compiled(R"({"properties":{"a/b":{"items":{"$ref":"#/$defs/row"}}},
        "$defs":{"row":{"properties":{"~":{"type":"null"}}}}})");
    BOOST_TEST(violations(schema, R"({"a/b":[{},{"~":1}]})") ==
               "/a~1b/1/~0 | /$defs/row/properties/~0/type | must be null, not 1");
}

BOOST_AUTO_TEST_CASE(the_pointer_into_another_document_has_its_uri) {
    Documents documents;
    documents.emplace("https://example.com/item", json(R"({"type":"integer"})"));
    CompileOptions options;
    options.documents = &documents;
    auto schema = compiled(R"({"items":{"$ref":"https://example.com/item"}})", options);
    BOOST_TEST(violations(schema, R"(["x"])") ==
               "/0 | https://example.com/item#/type | must be an integer, not the string \"x\"");
}

BOOST_AUTO_TEST_CASE(of_alternatives_the_nearest_explains_itself) {
    auto schema = compiled(R"({"oneOf":[
        {"properties":{"kind":{"const":"email"},"to":{"type":"string"}},"required":["kind","to"]},
        {"properties":{"kind":{"const":"refund"},"sum":{"type":"number"}},"required":["kind","sum"]}]})");
    BOOST_TEST(
        violations(schema, R"({"kind":"refund","sum":"12"})") ==
        " | /oneOf | matches none of the 2 alternatives; what the nearest one lacks follows\n"
        "/sum | /oneOf/1/properties/sum/type | must be a number, not the string \"12\"");
    auto both = compiled(R"({"oneOf":[{"type":"integer"},{"minimum":2}]})");
    BOOST_TEST(violations(both, "3") ==
               " | /oneOf | must match exactly one of the alternatives, it matches several");
}

BOOST_AUTO_TEST_CASE(a_condition_that_fails_says_nothing_itself) {
    auto schema = compiled(R"({"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":5},
        "not":{"const":"no"}})");
    BOOST_TEST(violations(schema, "3") == " | /else/minimum | must be at least 5, not 3");
    BOOST_TEST(violations(schema, R"("no")") ==
               " | /not | must not match the schema under \"not\": {\"const\":\"no\"}");
}

BOOST_AUTO_TEST_CASE(each_keyword_has_its_sentence) {
    auto said = [](std::string_view schema, std::string_view value) {
        auto found = compiled(schema, {.assert_format = true}).check(json(value));
        BOOST_TEST_REQUIRE(found.size() == 1U, schema);
        return found[0].message;
    };
    BOOST_TEST(said(R"({"type":["string","null"]})", "[1]") ==
               "must be null or a string, not an array");
    BOOST_TEST(said(R"({"const":{"a":1}})", "2") == "must be {\"a\":1}, not 2");
    BOOST_TEST(said(R"({"maxLength":2})", R"("äöü")") ==
               "must have at most 2 characters, it has 3");
    BOOST_TEST(said(R"({"pattern":"^a"})", R"("b")") ==
               "must match the regular expression \"^a\"; \"b\" does not");
    BOOST_TEST(said(R"({"format":"date"})", R"("29.11.2026")") ==
               "must be a date like 2026-11-29, not \"29.11.2026\"");
    BOOST_TEST(said(R"({"multipleOf":0.01})", "1.005") == "must be a multiple of 0.01, not 1.005");
    BOOST_TEST(said(R"({"exclusiveMinimum":0})", "0") == "must be greater than 0, not 0");
    BOOST_TEST(said(R"({"minItems":1})", "[]") == "must have at least 1 items, it has 0");
    BOOST_TEST(said(R"({"uniqueItems":true})", "[1,1.0]") == "must not hold the same item twice");
    BOOST_TEST(said(R"({"contains":{"type":"null"}})", "[1]").starts_with("must have at least 1"));
    BOOST_TEST(said(R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})") ==
               "the property \"b\" is missing; \"a\" needs it");
    BOOST_TEST(said(R"({"propertyNames":{"maxLength":1}})", R"({"ab":1})") ==
               "must have at most 1 characters, it has 2");
    BOOST_TEST(said(R"({"properties":{"a":true},"unevaluatedProperties":false})",
                    R"({"a":1,"b":2})") == "the property \"b\" is not expected here");
    BOOST_TEST(said("false", "1") == "no value is allowed here");
}

BOOST_AUTO_TEST_CASE(the_number_of_violations_is_bounded) {
    auto schema = compiled(R"({"items":{"anyOf":[{"type":"null"},{"type":"boolean"}]}})");
    JsonArray many(50'000, Json(1));
    BOOST_TEST(schema.check(many).size() == 100U);
    BOOST_TEST(schema.check(many, {.most_violations = 3}).size() == 3U);
}

BOOST_AUTO_TEST_SUITE_END()
