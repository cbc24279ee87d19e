// Secrets and egress as plugins meet them (field cases B71, B72).
#include "http/client.hpp"

#include "fakes.hpp"
#include "folder.hpp"

using namespace foxwedge;
using namespace foxwedge::plugin;
using plugin_tests::FakeTransfers;
using plugin_tests::Folder;
using plugin_tests::why;

namespace {

struct Requests : Folder {
    std::vector<http::TransferRequest> sent;
    std::unique_ptr<Registry> registry;
    std::shared_ptr<ToolSource> tools;
    Call call;

    Requests() {
        put("unruly");
        auto transfers = std::make_unique<FakeTransfers>(sent);
        transfers->redirects["moved.test"] = "https://other.test/x";
        auto o = options();
        o.lent.http = std::make_shared<http::Client>(http::ClientOptions{}, std::move(transfers));
        o.lent.secrets = plugin_tests::shop_secrets;
        auto opened = Registry::open(std::move(o));
        registry = std::move(*opened);
        auto source =
            registry->capability("unruly", JsonObject{{"key", JsonObject{{"secret", "SHOP"}}},
                                                      {"bridge", "http://127.0.0.1:8123/hook"}});
        BOOST_REQUIRE_MESSAGE(source.ok(), why(source));
        tools = *source;
    }
    std::string code(const std::string& url, const std::string& header) {
        const auto result = tools->run("http",
                                       R"({"method":"POST","url":")" + url +
                                           R"(","headers":{"x-api-key":)" + header + "}}",
                                       call);
        if (!result) return result.error().code;
        if (!result->is_error) return "ok";
        return std::string(view(result->details.at("code").as_string()));
    }
};

constexpr auto shop = R"({"secret":"SHOP","prefix":"Bearer "})";

} // namespace

BOOST_FIXTURE_TEST_SUITE(requests, Requests)

BOOST_AUTO_TEST_CASE(a_secret_travels_to_its_origin_and_the_plugin_never_sees_it) {
    BOOST_TEST(code("https://shop.test/v1", shop) == "ok");
    BOOST_REQUIRE(sent.size() == 1u);
    bool found = false;
    for (const auto& field : sent[0].fields)
        found |= field.name == "x-api-key" && field.value == "Bearer sk-test-AAAA1111BBBB";
    BOOST_TEST(found);
}

BOOST_AUTO_TEST_CASE(a_secret_goes_to_no_other_origin) {
    for (const auto* url :
         {"https://other.test/", "https://shop.test:8443/", "https://shop.test.evil.test/"})
        BOOST_TEST(code(url, shop) == "secret_origin", url);
    BOOST_TEST(sent.empty());
}

BOOST_AUTO_TEST_CASE(a_secret_that_the_configuration_does_not_name_is_not_given) {
    BOOST_TEST(code("https://shop.test/", R"({"secret":"OTHER"})") == "unknown_secret");
    BOOST_TEST(code("https://shop.test/", R"({"secret":"HOME"})") == "unknown_secret");
    BOOST_TEST(sent.empty());
}

BOOST_AUTO_TEST_CASE(what_looks_like_a_reference_in_text_stays_text) {
    BOOST_TEST(code("https://shop.test/", R"("${secret:SHOP} SHOP")") == "ok");
    for (const auto& field : sent.at(0).fields)
        BOOST_TEST(field.value.find("sk-test") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(private_addresses_are_closed_but_what_the_configuration_names_is_open) {
    for (const auto* url :
         {"http://127.0.0.1:9/", "http://2130706433/", "http://[::1]/",
          "http://169.254.169.254/latest", "http://localhost/", "http://10.0.0.1/"})
        BOOST_TEST(code(url, "\"x\"") == "egress_denied", url);
    BOOST_TEST(sent.empty());
    BOOST_TEST(code("http://127.0.0.1:8123/other", "\"x\"") == "ok");
}

// Field case B72: nothing is sent to the new host.
BOOST_AUTO_TEST_CASE(a_redirect_to_another_origin_is_not_followed) {
    BOOST_TEST(code("https://moved.test/", "\"x\"") == "cross_origin_redirect");
    BOOST_TEST(sent.size() == 1u);
}

// Field case B71: an error body that repeats the key is masked.
BOOST_AUTO_TEST_CASE(a_secret_that_was_given_out_is_masked_in_what_the_plugin_says) {
    BOOST_TEST(code("https://shop.test/v1", shop) == "ok");
    const auto failed =
        tools->run("fails-with", R"({"body":"bad key sk-test-AAAA1111BBBB"})", call);
    BOOST_REQUIRE(!failed.ok());
    BOOST_TEST(failed.error().message == R"({"body":"bad key [redacted:SHOP]"})");
}

BOOST_AUTO_TEST_SUITE_END()
