#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>

#include "base/json.hpp"

using namespace foxwedge;

namespace {
Json read(std::string_view text) {
    auto value = parse_json(text);
    BOOST_TEST_REQUIRE(value.ok(), text << ": " << (value ? "" : value.error().message));
    return *value;
}
Error refused(std::string_view text, const JsonLimits& limits = {}) {
    auto value = parse_json(text, limits);
    BOOST_TEST_REQUIRE(!value.ok(), text);
    BOOST_TEST(value.error().code == "invalid_json");
    return value.error();
}
} // namespace

BOOST_AUTO_TEST_SUITE(json_read)

BOOST_AUTO_TEST_CASE(every_kind_of_value_is_read) {
    auto value = read(R"( {"a":[1,-2.5,"x",true,false,null,{}, []],"b":{"c":"d"}} )");
    BOOST_TEST(to_text(value) == R"({"a":[1,-2.5,"x",true,false,null,{},[]],"b":{"c":"d"}})");
}

BOOST_AUTO_TEST_CASE(integers_keep_their_kind_and_all_digits) {
    BOOST_TEST(read("9223372036854775807").get_int64() == INT64_MAX);
    BOOST_TEST(read("-9223372036854775808").get_int64() == INT64_MIN);
    BOOST_TEST(read("9223372036854775808").get_uint64() == 9223372036854775808U);
    BOOST_TEST(read("18446744073709551615").get_uint64() == UINT64_MAX);
    BOOST_TEST(read("18446744073709551616").get_double() == 18446744073709551616.0);
    BOOST_TEST(read("-9223372036854775809").get_double() == -9223372036854775808.0);
    BOOST_TEST(read("1.0").is_double());
    BOOST_TEST(std::signbit(read("-0").get_double()));
}

BOOST_AUTO_TEST_CASE(reals_are_the_nearest_double) {
    std::mt19937_64 random(1);
    char text[40];
    for (int i = 0; i < 20'000; ++i) {
        auto bits = random();
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        if (!std::isfinite(value)) continue;
        std::snprintf(text, sizeof text, "%.17g", value);
        if (!std::strpbrk(text, ".e")) std::strcat(text, ".0");
        auto read_back = read(text).get_double();
        BOOST_TEST_REQUIRE(std::memcmp(&read_back, &value, sizeof value) == 0, text);
    }
}

BOOST_AUTO_TEST_CASE(decimals_as_people_write_them_are_the_nearest_double) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 20'000; ++i) {
        auto digits = (random() % 2 ? "-" : "") + std::to_string(random() >> (random() % 64)) +
                      "." + std::to_string(random() >> (random() % 64));
        auto value = std::strtod(digits.c_str(), nullptr);
        auto read_back = read(digits).get_double();
        BOOST_TEST_REQUIRE(std::memcmp(&read_back, &value, sizeof value) == 0, digits);
    }
    BOOST_TEST(std::signbit(read("-0.0").get_double()));
}

BOOST_AUTO_TEST_CASE(what_is_below_every_double_is_zero_and_what_is_beyond_is_refused) {
    BOOST_TEST(read("1e-400").get_double() == 0);
    BOOST_TEST(read("0.000001e-99999999999999999999").get_double() == 0);
    BOOST_TEST(read("0e99999999999").get_double() == 0);
    BOOST_TEST(read("5e-324").get_double() == 5e-324);
    BOOST_TEST(refused("1e400").message.find("range") != std::string::npos);
    refused("-1e400");
    refused("1" + std::string(400, '0'));
    BOOST_TEST(read("1" + std::string(300, '0') + "e-300").get_double() == 1.0);
}

BOOST_AUTO_TEST_CASE(escapes_are_undone_and_cut_emoji_are_repaired) {
    BOOST_TEST(view(read(R"("\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00")").get_string()) ==
               "\"\\/\b\f\n\r\t\u00e9\U0001F600");
    BOOST_TEST(view(read(R"("a\ud83dz\udc00")").get_string()) == "a\uFFFDz\uFFFD");
    BOOST_TEST(view(read(R"("\ud83d\u0041")").get_string()) == "\uFFFDA");
    BOOST_TEST(read(R"({"a\u0062":1,"\u0063d":{"\u0065":2}})").at("cd").at("e").get_int64() == 2);
}

BOOST_AUTO_TEST_CASE(what_is_no_json_is_refused) {
    for (auto text : {"",
                      " ",
                      "{",
                      "[",
                      "[1",
                      "[1,",
                      "[1,]",
                      "{\"a\"",
                      "{\"a\":",
                      "{\"a\":1",
                      "{\"a\":1,}",
                      "{a:1}",
                      "{'a':1}",
                      "01",
                      "1.",
                      ".5",
                      "+1",
                      "-",
                      "1e",
                      "1e+",
                      "0x1",
                      "NaN",
                      "Infinity",
                      "tru",
                      "nul",
                      "\"",
                      "\"\\x\"",
                      "\"\\u12\"",
                      "\"\t\"",
                      "1 2",
                      "[1 2]",
                      "\"\xff\"",
                      "\"\xc0\x80\"",
                      "\"\xed\xa0\x80\"",
                      "\"\xf5\x80\x80\x80\"",
                      "\"\xe2\x82\"",
                      "// c\n1",
                      "[1]]",
                      "}",
                      "\xef\xbb\xbf{}"})
        refused(text);
}

BOOST_AUTO_TEST_CASE(mistakes_have_a_line_and_a_column) {
    auto error = refused("{\n  \"a\": 1,\n  \"b\": tru\n}");
    BOOST_TEST(error.message == "line 3, column 8: a JSON value was expected here");
    BOOST_TEST(error.details == R"({"line":3,"column":8,"offset":19})");
}

BOOST_AUTO_TEST_CASE(duplicate_keys_are_refused_at_any_size) {
    BOOST_TEST(refused(R"({"a":1,"a":1})").message.find("the same key") != std::string::npos);
    refused(R"({"a":1,"\u0061":1})");
    std::string many = "{";
    for (int i = 0; i < 100; ++i) many += "\"k" + std::to_string(i) + "\":1,";
    refused(many + "\"k7\":2}");
    read(many + "\"k100\":2}");
}

BOOST_AUTO_TEST_CASE(nesting_is_bounded) { // B60
    auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    read(nested(128));
    BOOST_TEST(refused(nested(129)).message.find("too deeply") != std::string::npos);
    refused(nested(100'000));
    refused(nested(3), {.depth = 2});
    refused(std::string(100'000, '['));
}

BOOST_AUTO_TEST_CASE(length_is_bounded) {
    BOOST_TEST(refused("[1,2]", {.bytes = 4}).message.find("limit") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_refused_text_leaves_nothing_behind_for_the_next) {
    refused(R"({"a":[1,2,{"b":)");
    BOOST_TEST(to_text(read("[3]")) == "[3]");
}

BOOST_AUTO_TEST_SUITE_END()
