#include <boost/test/unit_test.hpp>

#include "base/json_source.hpp"

using namespace foxwedge;

BOOST_AUTO_TEST_SUITE(json_source)

BOOST_AUTO_TEST_CASE(comments_and_trailing_commas_are_allowed) {
    auto source = parse_json_source(
        "// head\n{ /* a */ \"a\": [1, 2,], // one\n \"b\": {\"c\": \"//\",},\n}");
    BOOST_TEST_REQUIRE(source.ok());
    BOOST_TEST(to_text(source->value) == R"({"a":[1,2],"b":{"c":"//"}})");
}

BOOST_AUTO_TEST_CASE(every_part_has_a_place) {
    auto source = parse_json_source("{\n  \"é\": {\"x\": [1,\n    22]},\n \"é2\": 1, \"k\": 2}");
    BOOST_TEST_REQUIRE(source.ok());
    auto place = [&](std::string_view pointer) {
        auto position = source->position(pointer);
        return std::to_string(position.line) + ":" + std::to_string(position.column);
    };
    BOOST_TEST(place("") == "1:1");
    BOOST_TEST(place("/é") == "2:3");
    BOOST_TEST(place("/é/x") == "2:9");
    BOOST_TEST(place("/é/x/1") == "3:5");
    BOOST_TEST(place("/k") == "4:11");
    BOOST_TEST(place("/é/x/9/deeper") == "2:9");
}

BOOST_AUTO_TEST_CASE(mistakes_are_placed) {
    auto code_and_message = [](std::string_view text) {
        auto source = parse_json_source(text);
        BOOST_TEST_REQUIRE(!source.ok(), text);
        return source.error().code + " " + source.error().message;
    };
    BOOST_TEST(code_and_message("{\n \"a\": 1,\n \"a\": 2}") ==
               "invalid_json line 3, column 2: \"a\" stands twice in this object");
    BOOST_TEST(code_and_message("[1 2]").find("line 1, column 4") != std::string::npos);
    BOOST_TEST(code_and_message("/* x").find("comment") != std::string::npos);
    BOOST_TEST(code_and_message("{\"a\":").find("too early") != std::string::npos);
    BOOST_TEST(code_and_message("{,}").find("key") != std::string::npos);
    BOOST_TEST(code_and_message("[,]").find("value") != std::string::npos);
    BOOST_TEST(code_and_message(std::string(100'000, '[')).find("deeply") !=
               std::string::npos); // B60
}

BOOST_AUTO_TEST_SUITE_END()
