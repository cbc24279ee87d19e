#include <boost/test/unit_test.hpp>

#include "base/secret.hpp"
#include "base/text.hpp"

using namespace foxwedge;

namespace {
/// "kind:text" of each finding.
std::string findings(std::string_view text) {
    std::vector<std::string> all;
    for (const auto& found : find_secrets(text))
        all.push_back(found.kind + ":" +
                      std::string(text.substr(found.from, found.to - found.from)));
    return join(all, "|");
}
/// Made here, so that no file holds what looks like a credential.
std::string letters(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += "aB3dE6gH9jK2mN5p"[i % 16];
    return text;
}
} // namespace

BOOST_AUTO_TEST_SUITE(secret)

BOOST_AUTO_TEST_CASE(tokens_with_a_prefix_are_found) {
    auto github = "ghp_" + letters(36);
    BOOST_TEST(findings("use " + github + ", please") == "github_token:" + github);
    BOOST_TEST(findings("AKIA" + std::string("IOSFODNN7EXAMPLE")) ==
               "aws_access_key:AKIAIOSFODNN7EXAMPLE");
    BOOST_TEST(findings("sk-ant-" + letters(40)) == "anthropic_key:sk-ant-" + letters(40));
    BOOST_TEST(findings("eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl!") ==
               "jwt:eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl");
}

BOOST_AUTO_TEST_CASE(keys_headers_and_assignments_are_found) {
    std::string pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----";
    BOOST_TEST(findings("x " + pem + " y") == "pem_private_key:" + pem);
    BOOST_TEST(findings("-----BEGIN PRIVATE KEY-----\ncut") ==
               "pem_private_key:-----BEGIN PRIVATE KEY-----\ncut");
    BOOST_TEST(findings("Authorization: Bearer " + letters(24)) == "bearer_header:" + letters(24));
    BOOST_TEST(findings("DB_PASSWORD=" + letters(16)) == "assignment:" + letters(16));
    BOOST_TEST(findings("{\"api_key\": \"" + letters(20) + "\"}") == "assignment:" + letters(20));
    BOOST_TEST(findings("postgres://app:hunter22@db/x") == "url_password:hunter22");
}

BOOST_AUTO_TEST_CASE(ordinary_text_is_left_alone) {
    for (auto text : {"the bearer of good news", "password: forgotten", "token = tokenizer.next()",
                      "-----BEGIN PUBLIC KEY-----", "basic understanding of things", "sk-short",
                      "https://example.com:8080/a@b", "secret: the quick brown fox", "task-"})
        BOOST_TEST(findings(text) == "", text);
}

BOOST_AUTO_TEST_CASE(hostile_text_is_searched_in_bounded_time) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += "token:eyJ-";
    BOOST_TEST(find_secrets(text).size() < text.size());
}

BOOST_AUTO_TEST_CASE(known_secrets_are_masked_in_every_form) {
    Masker masker({{"db", "p@ss w0rd\"!x"}, {"tiny", "short"}});
    BOOST_TEST(masker.masked("a p@ss w0rd\"!x b") == "a [redacted:db] b");
    BOOST_TEST(masker.masked("q=p%40ss%20w0rd%22%21x&r") == "q=[redacted:db]&r");
    BOOST_TEST(masker.masked("{\"k\":\"p@ss w0rd\\\"!x\"}") == "{\"k\":\"[redacted:db]\"}");
    BOOST_TEST(masker.masked("short") == "short");
    for (auto before : {"", "u", "us", "user:"}) {
        auto hidden = to_base64(std::string(before) + "p@ss w0rd\"!x");
        BOOST_TEST(masker.holds_secret(hidden), before);
        BOOST_TEST(masker.masked(hidden).find("[redacted:db]") != std::string::npos);
    }
    BOOST_TEST(masker.masked(to_base64("p@ss w0rd\"!x")) == "[redacted:db]");
    BOOST_TEST(!masker.holds_secret("nothing here"));
}

BOOST_AUTO_TEST_CASE(overlapping_secrets_leave_nothing) {
    Masker masker({{"a", "abcdefgh"}, {"b", "efghijkl"}});
    BOOST_TEST(masker.masked("abcdefghijkl.") == "[redacted:a].");
}

BOOST_AUTO_TEST_SUITE_END()
