#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/json_source.hpp"
#include "config/load.hpp"
#include "schema/schema.hpp"

using namespace foxwedge;

BOOST_AUTO_TEST_CASE(the_published_schema_compiles_and_takes_what_the_reader_takes) {
    auto compiled = schema::Schema::compile(config::json_schema(), {});
    BOOST_REQUIRE_MESSAGE(compiled.ok(), compiled ? "" : compiled.error().message);
    auto good = parse_json(
        R"({"name": "h", "agents": {"a": {"tools": ["x", {"use": "y", "requiresApproval": true}]}}})");
    BOOST_TEST(compiled->valid(*good));
    auto bad = parse_json(R"({"name": "h", "agents": {"a": {"modle": "x"}}})");
    BOOST_TEST(!compiled->valid(*bad));
}

BOOST_AUTO_TEST_CASE(defaults_are_told_and_can_be_written_as_they_are_told) {
    const auto schema = config::json_schema();
    const auto said = [&](const char* pointer) {
        const auto* value = at_pointer(schema, pointer);
        return value ? to_text(*value) : "nothing";
    };
    BOOST_TEST(said("/properties/limits/properties/mcpStart/default") == "\"30s\"");
    const std::string agent = "/properties/agents/additionalProperties/properties";
    BOOST_TEST(said((agent + "/maxIterations/default").c_str()) == "10");
    BOOST_TEST(said((agent + "/outputMode/default").c_str()) == "\"native\"");
    BOOST_TEST(said((agent + "/maxApprovals/default").c_str()) == "nothing"); // absent is not 0
    BOOST_TEST(said((agent + "/model/default").c_str()) == "nothing");

    JsonObject limits;
    for (const auto& [name, part] :
         at_pointer(schema, "/properties/limits/properties")->get_object()) {
        const auto* value = member(part, "default");
        BOOST_REQUIRE_MESSAGE(value, "no default of limits." << name);
        limits[name] = *value;
    }
    const auto compiled = schema::Schema::compile(schema, {});
    BOOST_REQUIRE(compiled);
    BOOST_TEST(compiled->valid(JsonObject{{"name", "h"}, {"limits", std::move(limits)}}));
}

BOOST_AUTO_TEST_CASE(every_key_is_described) {
    const auto schema = config::json_schema();
    for (const auto& [name, part] : at_pointer(schema, "/properties")->get_object())
        BOOST_TEST(string_member(part, "description").value_or("") != "", "no words for " << name);
}

BOOST_AUTO_TEST_CASE(the_examples_of_the_docs_fit_the_schema) {
    auto compiled = schema::Schema::compile(config::json_schema(), {});
    BOOST_REQUIRE(compiled);
    const std::filesystem::path root = std::getenv("FOXWEDGE_SOURCE_ROOT");
    std::ifstream in(root / "docs/examples/support/support.json");
    std::ostringstream text;
    text << in.rdbuf();
    auto source = parse_json_source(text.str());
    BOOST_REQUIRE_MESSAGE(source.ok(), source ? "" : source.error().message);
    BOOST_TEST(compiled->valid(source->value));
}
