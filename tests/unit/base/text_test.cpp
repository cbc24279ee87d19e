#include <boost/test/unit_test.hpp>

#include "base/text.hpp"

using namespace foxwedge;

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(invalid_utf_8_is_told_apart_and_repaired) {
    for (auto bad : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "a\x80"})
        BOOST_TEST(!is_utf8(bad));
    BOOST_TEST(is_utf8("\u00e9\u20ac\U0001F600"));
    bool repaired = false;
    BOOST_TEST(to_utf8("a\xff\u00e9", &repaired) == "a\uFFFD\u00e9");
    BOOST_TEST(repaired);
    BOOST_TEST(to_utf8("fine", &repaired) == "fine");
    BOOST_TEST(!repaired);
}

BOOST_AUTO_TEST_CASE(texts_are_cut_between_code_points) {
    BOOST_TEST(code_points("a\u00e9\U0001F600") == 3U);
    BOOST_TEST(first_code_points("a\u00e9\U0001F600", 2) == "a\u00e9");
    BOOST_TEST(first_code_points("ab", 5) == "ab");
    BOOST_TEST(first_bytes("a\u00e9b", 2) == "a");
    BOOST_TEST(first_bytes("a\u00e9b", 3) == "a\u00e9");
}

BOOST_AUTO_TEST_CASE(base64_goes_there_and_back) {
    BOOST_TEST(to_base64("") == "");
    BOOST_TEST(to_base64("f") == "Zg==");
    BOOST_TEST(to_base64("foobar") == "Zm9vYmFy");
    for (auto text : {"", "f", "fo", "foo", "foob"})
        BOOST_TEST(*from_base64(to_base64(text)) == text);
    BOOST_TEST(*from_base64("-_8") == "\xfb\xff");
    BOOST_TEST(!from_base64("a").ok());
    BOOST_TEST(!from_base64("ab!=").ok());
}

BOOST_AUTO_TEST_CASE(lists_of_words) {
    BOOST_TEST(split("a,,b", ',').size() == 3U);
    BOOST_TEST(split("", ',').size() == 1U);
    BOOST_TEST(trimmed(" \ta b\n") == "a b");
    BOOST_TEST(trimmed("  ").empty());
    BOOST_TEST(lower_ascii("AbC") == "abc");
    BOOST_TEST(join({"a", "b"}, ", ") == "a, b");
    BOOST_TEST(join({"", ""}, "-") == "-");
}

BOOST_AUTO_TEST_CASE(a_mistyped_word_is_recognised) {
    BOOST_TEST(nearest("provder", {"plugins", "provider", "prompt"}) == "provider");
    BOOST_TEST(nearest("toosl", {"tools", "tokens"}) == "tools");
    BOOST_TEST(nearest("zebra", {"tools", "tokens"}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
