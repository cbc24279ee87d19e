#include <boost/test/unit_test.hpp>

#include <map>

#include "compose/bridge.hpp"

using namespace foxwedge;
using namespace foxwedge::compose;

namespace {

constexpr auto ours = "FOXWEDGE_HOST_BRIDGE";
constexpr auto theirs = "STEAMHARNESS_DEVELOPER_ASSISTANT_HOST_BRIDGE";

Bridge injected(std::map<std::string, std::string> variables) {
    return injected_bridge([variables](std::string_view name) -> std::optional<std::string> {
        const auto found = variables.find(std::string(name));
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
}

std::string name(const char* prefix, const char* end) {
    return std::string(prefix) + end;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_bridge_is_a_plain_loopback_address) {
    for (const char* url : {"http://127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1:80",
                            "http://127.0.0.1:65535/a/b", "http://127.0.0.1/a@b"})
        BOOST_TEST(bridge_url_problem(url) == "", url);
    for (const char* url : {"",
                            "https://127.0.0.1",
                            "http://localhost",
                            "http://127.0.0.2",
                            "http://127.0.0.1.evil",
                            "http://127.0.0.10",
                            "http://[::1]",
                            "http://u@127.0.0.1",
                            "http://127.0.0.1@evil",
                            "http://127.0.0.1:x",
                            "http://127.0.0.1:",
                            "http://127.0.0.1:0",
                            "http://127.0.0.1:65536",
                            "http://127.0.0.1:+1",
                            "http://127.0.0.1:80@evil/",
                            "http://127.0.0.1/?q",
                            "http://127.0.0.1#f",
                            "http://127.0.0.1/a b",
                            "http://127.0.0.1\\@evil",
                            "http://127.0.0.1/\n"})
        BOOST_TEST(bridge_url_problem(url) != "", url);
}

BOOST_AUTO_TEST_CASE(the_own_pair_comes_first_and_pairs_are_never_mixed) {
    const auto both = injected({{name(ours, "_URL"), "http://127.0.0.1:1"},
                                {name(ours, "_TOKEN"), "a"},
                                {name(theirs, "_URL"), "http://127.0.0.1:2"},
                                {name(theirs, "_TOKEN"), "b"}});
    BOOST_TEST(both.url == "http://127.0.0.1:1");
    BOOST_TEST(both.token_variable == name(ours, "_TOKEN"));
    const auto half = injected({{name(ours, "_URL"), "http://127.0.0.1:1"},
                                {name(theirs, "_URL"), "http://127.0.0.1:2"},
                                {name(theirs, "_TOKEN"), "b"}});
    BOOST_TEST(half.url == "http://127.0.0.1:2");
    const auto mixed =
        injected({{name(ours, "_URL"), "http://127.0.0.1:1"}, {name(theirs, "_TOKEN"), "b"}});
    BOOST_TEST(mixed.url == "");
    BOOST_TEST((mixed.problem.find("FOXWEDGE_HOST_BRIDGE_TOKEN is not set") != std::string::npos),
               mixed.problem);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_said_and_the_token_never_is) {
    const auto bad = injected(
        {{name(theirs, "_URL"), "http://evil.example"}, {name(theirs, "_TOKEN"), "open-sesame"}});
    BOOST_TEST((bad.problem.find(name(theirs, "_URL")) != std::string::npos), bad.problem);
    BOOST_TEST(bad.problem.find("open-sesame") == std::string::npos);
    BOOST_TEST(bad.config().is_null());
    BOOST_TEST(bad.secrets_with({}).empty());
    const auto good = injected(
        {{name(theirs, "_URL"), "http://127.0.0.1:9/x"}, {name(theirs, "_TOKEN"), "open-sesame"}});
    BOOST_TEST(to_text(good.config()).find("open-sesame") == std::string::npos);
    const auto secrets = good.secrets_with({});
    BOOST_REQUIRE(secrets.size() == 1u);
    BOOST_TEST(secrets.begin()->second.origins == std::vector<std::string>{"http://127.0.0.1:9"},
               boost::test_tools::per_element());
}
