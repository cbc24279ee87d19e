// What is accepted as a schema, and with what note.
#include "support.hpp"

using namespace foxwedge;
using namespace foxwedge::schema;

BOOST_AUTO_TEST_SUITE(compile)

BOOST_AUTO_TEST_CASE(malformed_keywords_are_refused_with_their_place) {
    auto error = refused(R"({"properties":{"a":{"type":"strin"}}})");
    BOOST_TEST(error.code == "invalid_schema");
    BOOST_TEST(error.details == R"({"schemaPointer":"/properties/a/type"})");
    for (auto schema :
         {"3", "[]", R"({"type":1})", R"({"items":3})", R"({"properties":[]})",
          R"({"required":"a"})", R"({"minimum":"1"})", R"({"minLength":-1})",
          R"({"minLength":1.5})", R"({"multipleOf":0})", R"({"pattern":1})", R"({"enum":1})",
          R"({"allOf":[]})", R"({"anyOf":{}})", R"({"uniqueItems":1})", R"({"$ref":1})",
          R"({"not":1})", R"({"dependentRequired":{"a":1}})", R"({"prefixItems":{}})"})
        BOOST_TEST(refused(schema).code == "invalid_schema", schema);
}

BOOST_AUTO_TEST_CASE(references_that_lead_nowhere_or_in_a_circle_are_refused) {
    BOOST_TEST(refused(R"({"$ref":"#/$defs/none"})").code == "invalid_schema");
    BOOST_TEST(refused(R"({"$ref":"#none"})").code == "invalid_schema");
    BOOST_TEST(refused(R"({"$ref":"#"})").message.find("without end") != std::string::npos);
    BOOST_TEST(
        refused(R"({"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[true,{"$ref":"#"}]}}})")
            .message.find("without end") != std::string::npos);
    compiled(R"({"properties":{"child":{"$ref":"#"}}})");
}

BOOST_AUTO_TEST_CASE(a_circle_of_dynamic_references_ends_by_itself) {
    auto schema = compiled(R"({"$dynamicAnchor":"n","$dynamicRef":"#n"})");
    BOOST_TEST(!schema.valid(json("1")));
    BOOST_TEST(violations(schema, "1").find("schema_too_complex") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(references_to_other_documents_are_never_followed) { // B62
    for (auto schema :
         {R"({"properties":{"c":{"$ref":"http://169.254.169.254/latest/meta-data/"}}})",
          R"({"$ref":"file:///etc/hostname"})", R"({"$ref":"other.json"})",
          R"({"$id":"http://198.51.100.7/a/","$ref":"b"})",
          R"({"$dynamicRef":"https://example.com/x#y"})"}) {
        auto error = refused(schema);
        BOOST_TEST(error.code == "remote_ref", schema);
        BOOST_TEST(error.details.find("schemaPointer") != std::string::npos, schema);
    }
    // An id names, it does not move: local references stay local.
    BOOST_TEST(
        compiled(
            R"({"$id":"http://198.51.100.7/x","$ref":"#/$defs/a","$defs":{"a":{"type":"null"}}})")
            .valid(json("null")));
}

BOOST_AUTO_TEST_CASE(an_unknown_dialect_is_read_as_the_default_with_a_warning) { // B62
    auto schema = compiled(R"({"$schema":"http://198.51.100.7/x","type":"null"})");
    BOOST_TEST(schema.warnings().size() == 1U);
    BOOST_TEST(schema.warnings()[0].find("198.51.100.7") != std::string::npos);
    BOOST_TEST(!schema.valid(json("1")));
    BOOST_TEST(
        compiled(R"({"$schema":"http://json-schema.org/draft-07/schema"})").warnings().empty());
}

BOOST_AUTO_TEST_CASE(the_standards_own_schemas_are_built_in) {
    for (auto uri :
         {"https://json-schema.org/draft/2020-12/schema",
          "https://json-schema.org/draft/2019-09/schema", "http://json-schema.org/draft-07/schema#",
          "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-04/schema#"}) {
        auto schema = compiled("{\"$ref\":" + quoted(uri) + "}");
        BOOST_TEST(schema.valid(json(R"({"properties":{"a":{"type":"string"}}})")), uri);
        BOOST_TEST(!schema.valid(json(R"({"properties":{"a":{"type":"strin"}}})")), uri);
    }
}

BOOST_AUTO_TEST_CASE(a_pattern_that_cannot_be_checked_is_left_out_with_a_warning) { // B59
    auto schema = compiled(R"j({"properties":{"a":{"pattern":"^(?!b)","minLength":2}}})j");
    BOOST_TEST(schema.valid(json(R"({"a":"bb"})")));
    BOOST_TEST(!schema.valid(json(R"({"a":"b"})")));
    BOOST_TEST(schema.warnings().size() == 1U);
    BOOST_TEST(schema.warnings()[0].find("/properties/a/pattern") != std::string::npos);
    auto error = refused(R"j({"pattern":"^(?!b)"})j", {.strict_patterns = true});
    BOOST_TEST(error.code == "unsupported_pattern");
    BOOST_TEST(error.details == R"({"schemaPointer":"/pattern"})");
}

BOOST_AUTO_TEST_CASE(a_name_pattern_that_cannot_be_checked_lets_names_pass) {
    auto schema = compiled(
        R"j({"patternProperties":{"^(?!b)":{"type":"null"}},"additionalProperties":false})j");
    BOOST_TEST(schema.valid(json(R"({"a":1})")));
}

BOOST_AUTO_TEST_CASE(formats_are_notes_unless_asked_for) {
    BOOST_TEST(compiled(R"({"format":"date"})").valid(json(R"("x")")));
    BOOST_TEST(!compiled(R"({"format":"date"})", {.assert_format = true}).valid(json(R"("x")")));
    BOOST_TEST(compiled(R"({"format":"nonsense"})", {.assert_format = true}).valid(json(R"("x")")));
}

BOOST_AUTO_TEST_CASE(required_names_need_not_be_properties) {
    auto schema = compiled(R"({"required":["a","b","a"],"properties":{"b":{"type":"null"}}})");
    BOOST_TEST(schema.valid(json(R"({"a":1,"b":null})")));
    BOOST_TEST(!schema.valid(json(R"({"b":null})")));
}

BOOST_AUTO_TEST_CASE(multiples_are_exact_decimals) {
    auto multiple = [](const char* value, const char* of) {
        return compiled(std::string(R"({"multipleOf":)") + of + "}").valid(json(value));
    };
    BOOST_TEST(multiple("0.3", "0.1"));
    BOOST_TEST(multiple("19.99", "0.01"));
    BOOST_TEST(!multiple("19.995", "0.01"));
    BOOST_TEST(multiple("9007199254740993", "3"));
    BOOST_TEST(!multiple("9007199254740993", "2"));
    BOOST_TEST(multiple("1e308", "0.5"));
    BOOST_TEST(!multiple("1e308", "0.123456789"));
    BOOST_TEST(multiple("-4.5", "1.5"));
    BOOST_TEST(!multiple("1e-10", "1"));
    BOOST_TEST(multiple("0", "7"));
    BOOST_TEST(multiple("18446744073709551615", "5"));
}

BOOST_AUTO_TEST_CASE(bounds_are_exact_across_kinds) {
    auto schema =
        compiled(R"({"maximum":9007199254740992.0,"exclusiveMinimum":-9007199254740993})");
    BOOST_TEST(schema.valid(json("9007199254740992")));
    BOOST_TEST(!schema.valid(json("9007199254740993")));
    BOOST_TEST(schema.valid(json("-9007199254740992.0")));
    BOOST_TEST(!schema.valid(json("-9007199254740993")));
    auto large = compiled(R"({"minimum":18446744073709551615})");
    BOOST_TEST(!large.valid(json("9223372036854775807")));
    BOOST_TEST(large.valid(json("18446744073709551616")));
}

BOOST_AUTO_TEST_SUITE_END()
