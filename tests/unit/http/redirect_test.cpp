// B72: redirects stay in one origin.
#include <boost/test/unit_test.hpp>

#include "http/redirect.hpp"

using namespace foxwedge;
using namespace foxwedge::http;

namespace {
Result<Hop> hop(std::string_view from, int status, std::string to,
                const std::string& method = "POST", int followed = 0) {
    return next_hop(*parse_url(from), method, status, {{"Location", std::move(to)}}, followed);
}
} // namespace

BOOST_AUTO_TEST_SUITE(redirect)

BOOST_AUTO_TEST_CASE(another_origin_is_never_asked) {
    const std::tuple<const char*, int, const char*> table[] = {
        {"https://mcp.test/mcp", 307, "https://other.test/x"},
        {"https://mcp.test/mcp", 302, "https://other.test/x"},
        {"https://mcp.test/mcp", 307, "http://mcp.test/mcp"},
        {"https://mcp.test/mcp", 308, "https://mcp.test:8443/mcp"},
        {"https://mcp.test/mcp", 307, "//other.test/mcp"},
        {"https://mcp.test/mcp", 307, "https://mcp.test.evil.org/"},
    };
    for (const auto& [from, status, to] : table) {
        const auto next = hop(from, status, to);
        BOOST_REQUIRE(!next.ok());
        BOOST_TEST(next.error().code == "cross_origin_redirect", to);
        BOOST_TEST((next.error().certainty == Certainty::permanent));
    }
    BOOST_TEST(hop("https://mcp.test/mcp", 307, "https://u:p@mcp.test/").error().code ==
               "invalid_url");
}

BOOST_AUTO_TEST_CASE(within_the_origin_the_status_decides_the_method) {
    const std::tuple<int, const char*, const char*, bool> table[] = {
        {307, "POST", "POST", true}, {308, "POST", "POST", true}, {303, "POST", "GET", false},
        {302, "POST", "GET", false}, {301, "POST", "GET", false}, {301, "GET", "GET", true},
        {302, "PUT", "PUT", true},   {303, "HEAD", "HEAD", true},
    };
    for (const auto& [status, method, then, body] : table) {
        const auto next = hop("https://h/a/b?q=1", status, "../c?z=2", method);
        BOOST_REQUIRE(next.ok());
        BOOST_TEST(next->url.text() == "https://h/c?z=2");
        BOOST_TEST(next->method == then);
        BOOST_TEST(next->keep_body == body);
    }
}

BOOST_AUTO_TEST_CASE(three_hops_are_enough) {
    BOOST_TEST(hop("https://h/", 307, "/1", "GET", 2).ok());
    BOOST_TEST(hop("https://h/", 307, "/1", "GET", 3).error().code == "too_many_redirects");
}

BOOST_AUTO_TEST_CASE(not_every_3xx_is_a_redirect) {
    BOOST_TEST(!is_redirect(304, {{"Location", "/"}}));
    BOOST_TEST(!is_redirect(307, {}));
    BOOST_TEST(is_redirect(308, {{"location", "/"}}));
}

BOOST_AUTO_TEST_SUITE_END()
