#include <boost/test/unit_test.hpp>

#include "base/json.hpp"

using namespace foxwedge;

namespace {
Json json(std::string_view text) {
    return *parse_json(text);
}
} // namespace

BOOST_AUTO_TEST_SUITE(json_access)

BOOST_AUTO_TEST_CASE(pointers_find_what_rfc_6901_says) {
    auto value = json(R"({"foo":["bar","baz"],"":0,"a/b":1,"m~n":8,"c%d":2," ":7,"~1":9})");
    auto found = [&](std::string_view pointer) {
        const auto* at = at_pointer(value, pointer);
        return at ? to_text(*at) : "nothing";
    };
    BOOST_TEST(found("/foo") == R"(["bar","baz"])");
    BOOST_TEST(found("/foo/0") == "\"bar\"");
    BOOST_TEST(found("/") == "0");
    BOOST_TEST(found("/a~1b") == "1");
    BOOST_TEST(found("/m~0n") == "8");
    BOOST_TEST(found("/~01") == "9");
    BOOST_TEST(found("/c%d") == "2");
    for (auto pointer : {"foo", "/foo/2", "/foo/01", "/foo/-", "/foo/+1", "/foo/0/x", "/none",
                         "/foo/", "/foo/99999999999999999999999"})
        BOOST_TEST(found(pointer) == "nothing", pointer);
    BOOST_TEST(at_pointer(value, "") == &value);
}

BOOST_AUTO_TEST_CASE(appended_tokens_are_escaped) {
    BOOST_TEST(pointer_append("/a", "b/c~d") == "/a/b~1c~0d");
    BOOST_TEST(pointer_append("", std::size_t{7}) == "/7");
}

BOOST_AUTO_TEST_CASE(numbers_are_equal_by_value_and_never_by_rounding) {
    auto same = [](const char* a, const char* b) { return equal(json(a), json(b)); };
    BOOST_TEST(same("1", "1.0"));
    BOOST_TEST(same("-0.0", "0"));
    BOOST_TEST(same("18446744073709551615", "18446744073709551615"));
    BOOST_TEST(!same("9007199254740993", "9007199254740992.0"));
    BOOST_TEST(!same("18446744073709551615", "18446744073709551616"));
    BOOST_TEST(!same("9223372036854775807", "9223372036854775808.0"));
    BOOST_TEST(!same("1", "true"));
    BOOST_TEST(!same("0", "null"));
    BOOST_TEST(equal(Json(std::uint64_t{5}), Json(std::int64_t{5})));
}

BOOST_AUTO_TEST_CASE(objects_are_equal_whatever_their_order) {
    BOOST_TEST(
        equal(json(R"({"a":[1,{"x":2}],"b":null})"), json(R"({"b":null,"a":[1.0,{"x":2}]})")));
    BOOST_TEST(!equal(json(R"({"a":1})"), json(R"({"b":1})")));
    BOOST_TEST(!equal(json(R"({"a":1})"), json(R"({"a":1,"b":1})")));
    BOOST_TEST(!equal(json("[1,2]"), json("[2,1]")));
}

BOOST_AUTO_TEST_CASE(members_are_given_with_the_kind_asked_for) {
    auto value = json(R"({"s":"t","i":3,"w":4.0,"d":1.5,"b":true,"o":{},"a":[]})");
    BOOST_TEST(*string_member(value, "s") == "t");
    BOOST_TEST(*integer_member(value, "i") == 3);
    BOOST_TEST(*integer_member(value, "w") == 4);
    BOOST_TEST(!integer_member(value, "d"));
    BOOST_TEST(*number_member(value, "i") == 3.0);
    BOOST_TEST(*bool_member(value, "b"));
    BOOST_TEST(object_member(value, "o"));
    BOOST_TEST(array_member(value, "a"));
    BOOST_TEST(!string_member(value, "i"));
    BOOST_TEST(!array_member(value, "o"));
    BOOST_TEST(!string_member(json("[]"), "s"));
}

BOOST_AUTO_TEST_SUITE_END()
