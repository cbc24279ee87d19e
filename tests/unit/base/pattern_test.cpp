#include <random>

#include <boost/test/unit_test.hpp>

#include "base/pattern.hpp"

using namespace foxwedge;

namespace {
bool found(std::string_view pattern, std::string_view text) {
    auto compiled = Pattern::compile(pattern);
    BOOST_TEST_REQUIRE(compiled.ok(),
                       pattern << ": " << (compiled ? "" : compiled.error().message));
    return compiled->found_in(text);
}
std::string refusal(std::string_view pattern) {
    auto compiled = Pattern::compile(pattern);
    return compiled ? "none" : compiled.error().code;
}
} // namespace

BOOST_AUTO_TEST_SUITE(pattern)

BOOST_AUTO_TEST_CASE(a_pattern_is_looked_for_anywhere) {
    BOOST_TEST(found("b+", "abc"));
    BOOST_TEST(!found("^b", "abc"));
    BOOST_TEST(found("c$", "abc"));
    BOOST_TEST(found("", ""));
}

BOOST_AUTO_TEST_CASE(anchors_mean_the_whole_text) {
    BOOST_TEST(!found("^abc$", "abc\n"));
    BOOST_TEST(!found("^b$", "a\nb\nc"));
}

BOOST_AUTO_TEST_CASE(classes_mean_what_ecma_262_says) {
    BOOST_TEST(!found("^\\d$", "\u07C0"));
    BOOST_TEST(!found("^\\w$", "\u00E9"));
    BOOST_TEST(found("^\\W$", "\u00E9"));
    BOOST_TEST(found("^\\s$", "\u00A0"));
    BOOST_TEST(found("^\\s$", "\v"));
    BOOST_TEST(found("^\\s$", "\uFEFF"));
    BOOST_TEST(!found("^\\S$", "\u2029"));
    BOOST_TEST(found("^[\\S]$", "x"));
    BOOST_TEST(found("^[\\w-.]+$", "a-b.c"));
    BOOST_TEST(!found("^.$", "\u2028"));
    BOOST_TEST(found("^.$", "\U0001F600"));
    BOOST_TEST(!found("[]", "a"));
    BOOST_TEST(found("^[^]$", "\n"));
    BOOST_TEST(found("^[\\b]$", "\b"));
}

BOOST_AUTO_TEST_CASE(escapes_are_translated) {
    BOOST_TEST(found("^\\cC\\cc$", "\x03\x03"));
    BOOST_TEST(found("^\\x41\\u0042\\u{1F600}\\ud83d\\ude00$", "AB\U0001F600\U0001F600"));
    BOOST_TEST(found("^\\t\\n\\v\\f\\r$", "\t\n\v\f\r"));
    BOOST_TEST(found("^\\0$", std::string_view("\0", 1)));
    BOOST_TEST(found("^\\/\\-\\@\\.$", "/-@."));
    BOOST_TEST(found("^[\\^\\]\\-]+$", "^]-"));
}

BOOST_AUTO_TEST_CASE(properties_have_long_and_short_names) {
    BOOST_TEST(found("^\\p{Letter}+$", "\u00E9\u03B1"));
    BOOST_TEST(found("^\\p{Lu}\\p{Lowercase_Letter}$", "Ab"));
    BOOST_TEST(found("^\\p{Script=Greek}\\p{sc=Cyrl}$", "\u03B1\u0416"));
    BOOST_TEST(found("^\\p{gc=Nd}$", "\u0967"));
    BOOST_TEST(found("^[^\\P{L}]$", "a"));
    BOOST_TEST(found("^\\p{ASCII}$", "a"));
    BOOST_TEST(!found("^\\p{ASCII}$", "\u00E9"));
}

BOOST_AUTO_TEST_CASE(groups_and_repeats_are_translated) {
    BOOST_TEST(found("^(?<year>\\d{4})-(?:\\d{2}){1,2}?$", "2026-1129"));
    BOOST_TEST(found("^a{2,}$", "aaaa"));
    BOOST_TEST(found("^{x}$", "{x}"));
    BOOST_TEST(found("^(a|)+$", "aa"));
}

BOOST_AUTO_TEST_CASE(what_needs_backtracking_is_unsupported) {
    for (auto pattern : {"(?=a)", "(?!a)b", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<n>a)\\k<n>",
                         "\\p{Emoji}", "\\p{scx=Grek}", "\\p{Script=Klingon}"})
        BOOST_TEST(refusal(pattern) == "unsupported_pattern", pattern);
}

BOOST_AUTO_TEST_CASE(mistakes_are_told_apart) {
    for (auto pattern : {"(",
                         ")",
                         "a**",
                         "*a",
                         "[b-a]",
                         "[a",
                         "\\",
                         "\\a",
                         "\\u12",
                         "\\u{110000}",
                         "\\x1",
                         "\\c1",
                         "a{2,1}",
                         "(?<1>a)",
                         "(?<a>x)(?<a>y)",
                         "(?#c)",
                         "\\p{Nonsense}",
                         "\\p",
                         "\\01",
                         "a|*",
                         "(?=a)*",
                         "^(abc]",
                         "\\Z"}) {
        BOOST_TEST(refusal(pattern) == "invalid_pattern", pattern);
        BOOST_TEST(!is_ecma_pattern(pattern), pattern);
    }
    BOOST_TEST(is_ecma_pattern("(?<n>a)\\k<n>(?=b)"));
}

BOOST_AUTO_TEST_CASE(simple_sequences_match_as_re2_does) {
    // A group around the pattern makes it one for RE2.
    std::mt19937 random(5);
    auto pick = [&](auto& list) { return list[random() % std::size(list)]; };
    const char* atoms[] = {"a",   "b",   ".",      "[ab]",   "[^a]",
                           "\\d", "\\S", "[\\w-]", "\u00e9", "[\u00e0-\u00ff]"};
    const char* counts[] = {"", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,3}", "{2,}", "*?"};
    const char* letters[] = {"a", "b", "c", "1", "-", " ", "\u00e9", "\u20ac", "\n"};
    for (int i = 0; i < 3'000; ++i) {
        std::string pattern = random() % 2 ? "^" : "";
        for (auto n = random() % 5; n > 0; --n) pattern += std::string(pick(atoms)) + pick(counts);
        if (random() % 2) pattern += "$";
        auto simple = Pattern::compile(pattern);
        auto re2 = Pattern::compile("(?:" + pattern + ")");
        BOOST_TEST_REQUIRE((simple.ok() && re2.ok()), pattern);
        for (int j = 0; j < 8; ++j) {
            std::string text;
            for (auto n = random() % 7; n > 0; --n) text += pick(letters);
            BOOST_TEST_REQUIRE(simple->found_in(text) == re2->found_in(text),
                               pattern << " on " << text);
        }
    }
}

BOOST_AUTO_TEST_CASE(hostile_patterns_cost_nothing) { // B59
    BOOST_TEST(!found("^(a|a)*$", std::string(100'000, 'a') + "!"));
    BOOST_TEST(refusal("(a{1,200}){1,200}") == "pattern_too_complex");
    BOOST_TEST(refusal("((a{1,100}){1,100}){1,100}") == "pattern_too_complex");
    BOOST_TEST(refusal(std::string(100'000, '(')) == "pattern_too_complex");
    BOOST_TEST(refusal(std::string(1'000, '(')) == "pattern_too_complex");
}

BOOST_AUTO_TEST_SUITE_END()
