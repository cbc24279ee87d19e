#include <boost/test/unit_test.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <random>

#include <boost/json/monotonic_resource.hpp>

#include "base/json.hpp"

using namespace foxwedge;

BOOST_AUTO_TEST_SUITE(json_write)

BOOST_AUTO_TEST_CASE(doubles_are_written_as_ecmascript_does) {
    // The samples of RFC 8785, appendix B.
    const std::pair<std::uint64_t, const char*> samples[] = {
        {0x0000000000000000, "0"},
        {0x8000000000000000, "0"},
        {0x0000000000000001, "5e-324"},
        {0x7fefffffffffffff, "1.7976931348623157e+308"},
        {0x4340000000000000, "9007199254740992"},
        {0xc340000000000000, "-9007199254740992"},
        {0x4430000000000000, "295147905179352830000"},
        {0x44b52d02c7e14af5, "9.999999999999997e+22"},
        {0x44b52d02c7e14af6, "1e+23"},
        {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
        {0x444b1ae4d6e2ef4e, "999999999999999700000"},
        {0x444b1ae4d6e2ef4f, "999999999999999900000"},
        {0x444b1ae4d6e2ef50, "1e+21"},
        {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
        {0x3eb0c6f7a0b5ed8d, "0.000001"},
        {0x41b3de4355555553, "333333333.3333332"},
        {0x41b3de4355555554, "333333333.33333325"},
        {0xbecbf647612f3696, "-0.0000033333333333333333"},
        {0x43143ff3c1cb0959, "1424953923781206.2"}};
    for (auto [bits, text] : samples) {
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        BOOST_TEST(canonical_text(value) == text);
    }
}

BOOST_AUTO_TEST_CASE(decimals_have_their_shortest_form) {
    std::mt19937_64 random(3);
    char text[40];
    for (int i = 0; i < 20'000; ++i) {
        auto value = static_cast<double>(random() % 1'000'000'000'000'000U) /
                     std::pow(10, static_cast<double>(random() % 16));
        auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr;
        if (value < 1e-6) continue;
        BOOST_TEST_REQUIRE(canonical_text(value) == std::string(text, end));
    }
}

BOOST_AUTO_TEST_CASE(every_value_reads_back_as_itself) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 20'000; ++i) {
        auto bits = random();
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        if (!std::isfinite(value)) continue;
        auto back = parse_json(to_text(Json(value)));
        BOOST_TEST_REQUIRE(back.ok());
        BOOST_TEST_REQUIRE(back->to_number<double>() == value);
        BOOST_TEST_REQUIRE(canonical_text(*back) == canonical_text(value));
    }
    // Whole doubles that an integer literal would change.
    for (double value : {9007199254740994.0, 9223372036854775808.0, 18446744073709551616.0, 1e20})
        BOOST_TEST(canonical_text(*parse_json(to_text(Json(value)))) == canonical_text(value));
    BOOST_TEST(to_text(*parse_json("-0")) == "-0");
    BOOST_TEST(to_text(*parse_json("12.5")) == "12.5");
    BOOST_TEST(to_text(*parse_json("[18446744073709551615,-9223372036854775808]")) ==
               "[18446744073709551615,-9223372036854775808]");
}

BOOST_AUTO_TEST_CASE(members_of_canonical_text_are_sorted_by_utf_16) {
    // RFC 8785, section 3.2.3.
    auto value = parse_json(R"({"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew",
        "1":"One","\ud83d\ude00":"Emoji","\u0080":"Control","\u00f6":"o","10":[{"b":1,"a":2}]})");
    BOOST_TEST(canonical_text(*value) ==
               "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"10\":[{\"a\":2,\"b\":1}],"
               "\"\u0080\":\"Control\",\"\u00f6\":\"o\",\"\u20ac\":\"Euro Sign\","
               "\"\U0001F600\":\"Emoji\",\"\uFB33\":\"Hebrew\"}");
}

BOOST_AUTO_TEST_CASE(canonical_text_is_blind_to_order_and_keeps_64_bits) {
    BOOST_TEST(canonical_text(*parse_json(R"({"b":1.0,"a":9223372036854775807})")) ==
               canonical_text(*parse_json(R"({"a":9223372036854775807,"b":1})")));
    BOOST_TEST(canonical_text(*parse_json("18446744073709551615")) == "18446744073709551615");
}

BOOST_AUTO_TEST_CASE(strings_are_escaped_and_bad_bytes_replaced) {
    BOOST_TEST(quoted("a\"\\\n\x01\x1f/\x7f\u00e9") == "\"a\\\"\\\\\\n\\u0001\\u001f/\x7f\u00e9\"");
    BOOST_TEST(quoted("a\xff\xe2\x82z") == "\"a\uFFFD\uFFFD\uFFFDz\"");
}

BOOST_AUTO_TEST_CASE(pretty_text_is_indented) {
    BOOST_TEST(
        to_pretty_text(*parse_json(R"({"a":[1,{}],"b":[],"c":{"d":null}})")) ==
        "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": [],\n  \"c\": {\n    \"d\": null\n  }\n}");
}

BOOST_AUTO_TEST_CASE(what_json_has_no_form_for_is_null) {
    BOOST_TEST(to_text(Json(std::numeric_limits<double>::infinity())) == "null");
    BOOST_TEST(to_text(Json(std::nan(""))) == "null");
}

BOOST_AUTO_TEST_CASE(any_depth_is_written_without_recursion) { // B60
    boost::json::monotonic_resource memory; // frees without visiting, as the destructor would
    Json value(&memory);
    for (int i = 0; i < 100'000; ++i) {
        JsonArray outer(&memory);
        outer.emplace_back(std::move(value));
        value = std::move(outer);
    }
    BOOST_TEST(to_text(value).size() == 200'004U);
    BOOST_TEST(canonical_text(value) == to_text(value));
    BOOST_TEST(equal(value, value));
}

BOOST_AUTO_TEST_SUITE_END()
