#define BOOST_TEST_MODULE sample_plugins
#include <boost/test/unit_test.hpp>

#include "plugin_host/plugin.hpp"

using foxwedge::plugin::object;
using foxwedge::plugin::Value;

#ifdef FOXWEDGE_C_SAMPLE_FILE

BOOST_AUTO_TEST_SUITE(a_capability_in_c)

BOOST_AUTO_TEST_CASE(counts_in_the_store_of_the_host) {
    plugin_host::Host host;
    plugin_host::Plugin plugin(host, FOXWEDGE_C_SAMPLE_FILE);
    auto words = plugin.create("words");
    BOOST_TEST(words->list_tools().result.array("tools").at(0).string("effect") == "store");
    for (int n = 1; n <= 2; ++n) {
        const auto told = words->run("tally", object({{"word", "say \"hi\""}}));
        BOOST_TEST(told.status == FOXWEDGE_OK);
        const auto& results = told.result["structuredContent"].array("results");
        BOOST_TEST(results.at(0).integer("value", 0) == n);
    }
    BOOST_TEST((host.store.find("project", "say \"hi\"") != nullptr));
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_a_call) {
    plugin_host::Host host;
    plugin_host::Plugin plugin(host, FOXWEDGE_C_SAMPLE_FILE);
    auto words = plugin.create("words");
    const auto empty = words->run("tally", object());
    BOOST_TEST(empty.status == FOXWEDGE_E_INVALID);
    BOOST_TEST(empty.details.string("pointer") == "/word");
    const auto long_word = words->run("tally", object({{"word", std::string(900, 'x')}}));
    BOOST_TEST(long_word.status == FOXWEDGE_E_INVALID);
    BOOST_TEST(words->run("count", object()).code == "unknown_tool");
}

BOOST_AUTO_TEST_CASE(is_not_made_where_there_is_no_store) {
    plugin_host::Host host;
    host.missing = {FOXWEDGE_SERVICE_STORE};
    plugin_host::Plugin plugin(host, FOXWEDGE_C_SAMPLE_FILE);
    BOOST_CHECK_THROW(plugin.create("words"), plugin_host::NotCreated);
}

BOOST_AUTO_TEST_CASE(may_offer_a_kind_of_the_future) {
    plugin_host::Host host;
    plugin_host::Plugin plugin(host, FOXWEDGE_C_SAMPLE_FILE);
    BOOST_TEST((plugin.factory("beam") != nullptr));
    BOOST_TEST((plugin.entry().factory_at(2) == nullptr));
}

BOOST_AUTO_TEST_CASE(can_say_that_it_needs_a_newer_host) {
    plugin_host::Host host;
    plugin_host::Plugin plugin(host, FOXWEDGE_NEWER_FILE);
    BOOST_TEST(plugin.entry().min_host_minor > host.api()->abi_minor); // a host refuses it
}

BOOST_AUTO_TEST_SUITE_END()

#endif
#ifdef FOXWEDGE_CELSIUS_FILE

BOOST_AUTO_TEST_SUITE(plugins_in_cpp)

BOOST_AUTO_TEST_CASE(a_capability_converts_degrees) {
    plugin_host::Host host;
    plugin_host::Plugin plugin(host, FOXWEDGE_CELSIUS_FILE);
    auto celsius = plugin.create("celsius");
    const auto told = celsius->run("celsius", object({{"fahrenheit", 212}}));
    BOOST_TEST(told.result["structuredContent"].integer("celsius", 0) == 100);
    BOOST_TEST(!celsius->concurrent());
    const auto wrong = celsius->run("celsius", object({{"fahrenheit", "hot"}}));
    BOOST_TEST(wrong.status == FOXWEDGE_E_INTERNAL); // an exception that nobody caught
    BOOST_TEST(wrong.message == "expected a number");
}

BOOST_AUTO_TEST_CASE(a_provider_passes_on_what_arrives_and_never_sees_the_key) {
    plugin_host::Host host;
    plugin_host::Plugin plugin(host, FOXWEDGE_PARROT_FILE);
    auto parrot = plugin.create("parrot");
    host.response_pieces = {"pretty ", "polly"};
    host.response_head.set("headers", object({{"content-type", "text/plain"}}));
    const auto told = parrot->generate(object());
    BOOST_TEST(told.events.size() == 2u);
    BOOST_TEST(told.result.array("content").at(0).string("text") == "pretty polly");
    const auto& sent = host.requests.at(0)["headers"]["authorization"];
    BOOST_TEST(sent.string("secret") == "PARROT_KEY");
    BOOST_TEST(parrot->count_tokens(object()).status == FOXWEDGE_E_UNSUPPORTED);
}

BOOST_AUTO_TEST_CASE(a_provider_passes_failures_on) {
    plugin_host::Host host;
    plugin_host::Plugin plugin(host, FOXWEDGE_PARROT_FILE);
    auto parrot = plugin.create("parrot");
    host.response_pieces = {"pretty "};
    host.response_status = FOXWEDGE_E_UNKNOWN; // the stream breaks off
    const auto cut = parrot->generate(object());
    BOOST_TEST(cut.status == FOXWEDGE_E_UNKNOWN);
    BOOST_TEST(cut.code == "connection_lost"); // the service's own error is passed on
    host.response_status = FOXWEDGE_OK;
    host.response_head.set("status", 429);
    host.response_head.set("headers", object({{"retry-after", "1"}}));
    const auto limited = parrot->generate(object());
    BOOST_TEST(limited.status == FOXWEDGE_E_TRANSIENT);
    BOOST_TEST(limited.details.integer("retryAfterMs", 0) == 1000);
    host.response_head.set("status", 200);
    BOOST_TEST(parrot->generate(object()).code == "connection_lost"); // of another content type
    parrot->cancel_after = 0;
    BOOST_TEST(parrot->generate(object()).status == FOXWEDGE_E_CANCELLED);
}

BOOST_AUTO_TEST_SUITE_END()

#endif
#ifdef FOXWEDGE_RUST_SAMPLE_FILE

BOOST_AUTO_TEST_SUITE(a_capability_in_rust)

BOOST_AUTO_TEST_CASE(gives_the_text_back_in_capital_letters) {
    plugin_host::Host host;
    plugin_host::Plugin plugin(host, FOXWEDGE_RUST_SAMPLE_FILE);
    auto shout = plugin.create("shout", object({{"mark", "?"}}));
    const auto told = shout->run_text("shout", R"({ "text" : "gr\u00fc\ud83e\udd8a\n\"x\"" })");
    BOOST_TEST(told.result["structuredContent"].string("text") == "GRÜ🦊\n\"X\"?");
    BOOST_TEST(shout->list_tools().result.array("tools").size() == 1u);
}

BOOST_AUTO_TEST_CASE(keeps_a_panic_inside) {
    plugin_host::Host host;
    plugin_host::Plugin plugin(host, FOXWEDGE_RUST_SAMPLE_FILE);
    auto shout = plugin.create("shout");
    const auto told = shout->run("shout", object({{"text", "panic!"}}));
    BOOST_TEST(told.status == FOXWEDGE_E_INTERNAL);
    BOOST_TEST(told.code == "panic");
    BOOST_TEST(shout->run("shout", object({{"text", 7}})).status == FOXWEDGE_E_INVALID);
}

BOOST_AUTO_TEST_SUITE_END()

#endif
