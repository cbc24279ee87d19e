#define BOOST_TEST_MODULE plugin_json
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <foxwedge/json.hpp>

namespace json = foxwedge::plugin;
using json::JsonError;
using json::Value;

namespace {

std::string again(std::string_view text) {
    return to_text(Value::parse(text));
}

} // namespace

BOOST_AUTO_TEST_SUITE(json_for_plugins)

BOOST_AUTO_TEST_CASE(writes_what_it_read) {
    for (const char* text :
         {"null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808",
          "18446744073709551615", "0.1", "1e+100", "5e-324", "-0", R"("")", R"("é😀")", "[]", "{}",
          R"([1,[2,[3]],{"a":{"b":[]}}])", R"({"z":1,"a":2})"})
        BOOST_TEST(again(text) == text);
}

BOOST_AUTO_TEST_CASE(reads_every_escape) {
    BOOST_TEST(Value::parse(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\ud83e\udd8a")").string() ==
               "\"\\/\b\f\n\r\tAé🦊");
    BOOST_TEST(Value::parse(R"("\ud83ex\udd8a\ud83e\ud83e\udd8a")").string() ==
               "\xEF\xBF\xBDx\xEF\xBF\xBD\xEF\xBF\xBD🦊"); // half pairs
    BOOST_TEST(Value::parse(R"("a\u0000b")").string() == std::string_view("a\0b", 3));
}

BOOST_AUTO_TEST_CASE(writes_valid_utf_8_whatever_it_was_given) {
    BOOST_TEST(json::quoted("a\xFF\xC3(\xED\xA0\x80\xF5z") ==
               "\"a\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\"");
    BOOST_TEST(json::quoted(std::string_view("\0\x1F\x7F\"\\", 5)) ==
               "\"\\u0000\\u001f\x7F\\\"\\\\\"");
    BOOST_TEST(to_text(Value(std::nan(""))) == "null");
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_json) {
    for (const char* text :
         {"",           " ",       "{",   "[",       "]",           "[1,]",   "{\"a\"}", "{\"a\":}",
          "{\"a\":1,}", "{a:1}",   "01",  "+1",      "1.",          ".5",     "1e",      "-",
          "nul",        "truex",   "\"",  "\"\\x\"", "\"\\u12g4\"", "\"\n\"", "1 2",     "[1 2]",
          "'a'",        "// x\n1", "NaN", "1e400",   "-1e999"})
        BOOST_CHECK_THROW(Value::parse(text), JsonError);
    BOOST_CHECK_THROW(Value::parse(std::string_view("1\0", 2)), JsonError);
}

BOOST_AUTO_TEST_CASE(says_at_which_byte_a_mistake_is) {
    try {
        Value::parse(R"({"a": [1, x]})");
        BOOST_TEST(false, "not refused");
    } catch (const JsonError& error) {
        BOOST_TEST(std::string(error.what()) == "at byte 10: expected a value");
    }
}

BOOST_AUTO_TEST_CASE(limits_how_deep_a_text_may_nest) {
    const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    BOOST_TEST(again(nested(128)) == nested(128));
    BOOST_CHECK_THROW(Value::parse(nested(129)), JsonError);
    BOOST_CHECK_THROW(Value::parse(std::string(1000000, '[')), JsonError);
    BOOST_TEST(to_text(Value::parse("[[],[],[]]", 2)) == "[[],[],[]]"); // depth, not number
}

BOOST_AUTO_TEST_CASE(gives_members_and_falls_back_where_they_are_missing_or_of_another_kind) {
    const Value value = Value::parse(R"({"t":"x","n":3,"d":2.5,"w":4.0,"b":true,"a":[1]})");
    BOOST_TEST(value.string("t") == "x");
    BOOST_TEST(value.string("n", "none") == "none");
    BOOST_TEST(value.integer("n", 0) == 3);
    BOOST_TEST(value.integer("w", 0) == 4); // a number without fraction
    BOOST_TEST(value.integer("d", -1) == -1);
    BOOST_TEST(value.number("n", 0) == 3.0);
    BOOST_TEST(value.boolean("b", false));
    BOOST_TEST(value.array("a").size() == 1u);
    BOOST_TEST(value.array("t").empty());
    BOOST_TEST(value["no"]["such"]["path"].is_null());
    BOOST_CHECK_THROW(value["t"].integer(), JsonError);
}

BOOST_AUTO_TEST_CASE(lets_what_was_taken_from_a_temporary_outlive_it) {
    int sum = 0;
    for (const Value& n : Value::parse(R"({"a":[1,2,3]})").array("a"))
        sum += static_cast<int>(n.integer());
    BOOST_TEST(sum == 6);
    const auto text =
        Value::parse(R"({"t":"a text that is too long for the small buffer"})").string("t");
    BOOST_TEST(text == "a text that is too long for the small buffer");
    const auto& inner = Value::parse(R"({"o":{"x":1}})")["o"];
    BOOST_TEST(inner.integer("x", 0) == 1);
}

BOOST_AUTO_TEST_CASE(compares_numbers_by_value_and_objects_without_order) {
    BOOST_TEST((Value(1) == Value(1.0)));
    BOOST_TEST((Value::parse(R"({"a":1,"b":[2]})") == Value::parse(R"({"b":[2.0],"a":1})")));
    BOOST_TEST((Value::parse("[1,2]") != Value::parse("[2,1]")));
    BOOST_TEST((Value("1") != Value(1)));
}

BOOST_AUTO_TEST_CASE(builds_values) {
    Value value;
    value.set("list", json::array({1, "two", nullptr})).push(true);
    value.set("n", std::uint64_t{18446744073709551615u});
    value.set("n", 1);
    BOOST_TEST(to_text(value) == R"({"list":[1,"two",null,true],"n":1})");
}

BOOST_AUTO_TEST_SUITE_END()
