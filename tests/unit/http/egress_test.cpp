// Where requests may go: the whole policy by tables.
#include <boost/test/unit_test.hpp>

#include "http/egress.hpp"

using namespace foxwedge;
using namespace foxwedge::http;

namespace {

Url url_of(std::string_view text) {
    auto url = parse_url(text);
    BOOST_REQUIRE_MESSAGE(url.ok(), text << ": " << (url.ok() ? "" : url.error().message));
    return *url;
}
bool allowed(const EgressPolicy& policy, const Grant& grant, std::string_view url) {
    return check_url(policy, grant, url_of(url)).ok();
}
bool connects(const EgressPolicy& policy, const Grant& grant, std::string_view url,
              std::string_view address) {
    return check_address(policy, grant, url_of(url), *parse_address(address)).ok();
}

} // namespace

BOOST_AUTO_TEST_SUITE(egress)

BOOST_AUTO_TEST_CASE(every_address_reaches_what_its_kind_says) {
    const std::pair<const char*, Reach> table[] = {
        {"8.8.8.8", Reach::open},
        {"127.0.0.1", Reach::loopback},
        {"127.1", Reach::loopback},
        {"0x7f.0.0.1", Reach::loopback},
        {"0x7f000001", Reach::loopback},
        {"2130706433", Reach::loopback},
        {"0177.0.0.1", Reach::loopback},
        {"017700000001", Reach::loopback},
        {"127.0.0.1.", Reach::loopback},
        {"0.0.0.0", Reach::loopback},
        {"0", Reach::loopback},
        {"::1", Reach::loopback},
        {"[::1]", Reach::loopback},
        {"0:0:0:0:0:0:0:1", Reach::loopback},
        {"::", Reach::loopback},
        {"::ffff:127.0.0.1", Reach::loopback},
        {"::ffff:7f00:1", Reach::loopback},
        {"::127.0.0.1", Reach::loopback},
        {"64:ff9b::7f00:1", Reach::loopback},
        {"2002:7f00:1::", Reach::loopback},
        {"10.0.0.1", Reach::internal},
        {"172.16.0.1", Reach::internal},
        {"172.31.255.255", Reach::internal},
        {"172.32.0.1", Reach::open},
        {"192.168.1.1", Reach::internal},
        {"3232235777", Reach::internal},
        {"100.64.0.1", Reach::internal},
        {"169.254.1.1", Reach::internal},
        {"fd12:3456::1", Reach::internal},
        {"fe80::1%eth0", Reach::internal},
        {"169.254.169.254", Reach::metadata},
        {"0xa9fea9fe", Reach::metadata},
        {"2852039166", Reach::metadata},
        {"0251.0376.0251.0376", Reach::metadata},
        {"::ffff:169.254.169.254", Reach::metadata},
        {"64:ff9b::a9fe:a9fe", Reach::metadata},
        {"2002:a9fe:a9fe::1", Reach::metadata},
        {"fd00:ec2::254", Reach::metadata},
        {"100.100.100.200", Reach::metadata},
        {"168.63.129.16", Reach::metadata},
        {"224.0.0.1", Reach::reserved},
        {"255.255.255.255", Reach::reserved},
        {"192.0.2.7", Reach::reserved},
        {"2001::1", Reach::reserved},
        {"2001:db8::1", Reach::reserved},
        {"ff02::1", Reach::reserved},
        {"2606:4700::1111", Reach::open},
    };
    for (const auto& [text, reach] : table) {
        const auto address = parse_address(text);
        BOOST_REQUIRE_MESSAGE(address.has_value(), text);
        BOOST_TEST(to_string(reach_of(*address)) == to_string(reach), text);
    }
}

BOOST_AUTO_TEST_CASE(a_name_is_no_address) {
    for (auto text : {"example.com", "1.2.3.4.5", "256.1.1.1", "0x100000000", "1..2", "a.b", "08",
                      "", "1.2.3.four"})
        BOOST_TEST(!parse_address(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(every_spelling_becomes_one_origin) {
    const std::pair<const char*, const char*> table[] = {
        {"HTTPS://API.Example.com:443/v1?x=1#frag", "https://api.example.com"},
        {"http://2130706433/", "http://127.0.0.1"},
        {"http://0x7f.1:8080/x", "http://127.0.0.1:8080"},
        {"http://[::FFFF:127.0.0.1]/", "http://127.0.0.1"},
        {"http://[::1]:9/", "http://[::1]:9"},
    };
    for (const auto& [text, origin] : table) BOOST_TEST(url_of(text).origin() == origin);
    BOOST_TEST(url_of("https://h/a%2Fb?q=%20").target == "/a%2Fb?q=%20");
}

BOOST_AUTO_TEST_CASE(what_is_no_plain_web_address_is_refused) {
    for (auto text :
         {"file:///etc/passwd", "gopher://h/", "http://user:pw@h/", "http://h@127.0.0.1/",
          "http://ex%61mple.com/", "http://exa mple.com/", "http://h\\@evil/", "//h/x", "h/x",
          "http://", "http://h:0/", "http://h:99999/", "http://\xC3\xA9.fr/", "http://h/\r\nX: y",
          "http://[fe80::1%25eth0]/"}) {
        const auto url = parse_url(text);
        BOOST_TEST(!url.ok(), text);
        if (!url) BOOST_TEST(url.error().code == "invalid_url");
    }
}

BOOST_AUTO_TEST_CASE(an_error_never_shows_the_query) {
    const auto url = parse_url("ftp://h/x?key=sk-very-secret");
    BOOST_TEST(url.error().message.find("sk-very") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(private_places_are_closed_unless_configured) {
    const Grant none;
    const Grant mine{{"http://127.0.0.1:8080"}};
    BOOST_TEST(allowed({}, none, "https://api.example.com/"));
    BOOST_TEST(!allowed({}, none, "http://127.0.0.1:8080/"));
    BOOST_TEST(!allowed({}, none, "http://localhost:8080/"));
    BOOST_TEST(!allowed({}, none, "http://x.localhost/"));
    BOOST_TEST(!allowed({}, none, "http://10.0.0.1/"));
    // An origin of the configuration is open to its component, by any spelling, and no neighbour.
    BOOST_TEST(allowed({}, mine, "http://127.0.0.1:8080/v1"));
    BOOST_TEST(allowed({}, mine, "http://0x7f000001:8080/v1"));
    BOOST_TEST(!allowed({}, mine, "http://127.0.0.1:8081/"));
    BOOST_TEST(!allowed({}, mine, "https://127.0.0.1:8080/"));
    BOOST_TEST(allowed({.allow_private = true}, none, "http://10.0.0.1/"));
    BOOST_TEST(allowed({.allow = {"10.0.0.1"}}, none, "http://10.0.0.1:99/"));
    BOOST_TEST(!allowed({.allow = {"10.0.0.1"}}, none, "http://10.0.0.2:99/"));
}

BOOST_AUTO_TEST_CASE(an_allow_list_closes_everything_else) {
    const EgressPolicy policy{
        .allow = {"api.example.com", "*.docs.org", "https://pay.example:8443"}};
    const Grant none;
    BOOST_TEST(allowed(policy, none, "https://api.example.com/x"));
    BOOST_TEST(allowed(policy, none, "https://API.example.com./x"));
    BOOST_TEST(!allowed(policy, none, "https://evil-api.example.com/"));
    BOOST_TEST(!allowed(policy, none, "https://api.example.com.evil.org/"));
    BOOST_TEST(allowed(policy, none, "https://a.b.docs.org/"));
    BOOST_TEST(!allowed(policy, none, "https://docs.org/"));
    BOOST_TEST(!allowed(policy, none, "https://evildocs.org/"));
    BOOST_TEST(allowed(policy, none, "https://pay.example:8443/"));
    BOOST_TEST(!allowed(policy, none, "https://pay.example/"));
    BOOST_TEST(!allowed(policy, none, "http://pay.example:8443/"));
}

BOOST_AUTO_TEST_CASE(a_name_that_points_inside_is_not_connected_to) {
    const Grant none;
    BOOST_TEST(connects({}, none, "https://rebind.example/", "93.184.216.34"));
    BOOST_TEST(!connects({}, none, "https://rebind.example/", "127.0.0.1"));
    BOOST_TEST(!connects({}, none, "https://rebind.example/", "169.254.169.254"));
    BOOST_TEST(!connects({.allow = {"*.example"}}, none, "https://rebind.example/", "10.0.0.9"));
    BOOST_TEST(connects({.allow = {"intra.example"}}, none, "https://intra.example/", "10.0.0.9"));
    // Not even a named host may turn out to be the credential service.
    BOOST_TEST(
        !connects({.allow = {"intra.example"}}, none, "https://intra.example/", "169.254.169.254"));
    BOOST_TEST(!connects({.allow_private = true}, none, "http://a.example/", "169.254.169.254"));
}

BOOST_AUTO_TEST_CASE(credential_services_open_only_by_their_own_address) {
    const Grant none;
    const EgressPolicy everything{.allow_private = true};
    BOOST_TEST(!allowed(everything, none, "http://169.254.169.254/latest/meta-data"));
    BOOST_TEST(!allowed(everything, none, "http://metadata.google.internal/"));
    BOOST_TEST(allowed({.allow = {"169.254.169.254"}}, none, "http://169.254.169.254/"));
    BOOST_TEST(
        !allowed({.allow = {"*.google.internal"}}, none, "http://metadata.google.internal/"));
}

// B72: over plain http only to this machine.
BOOST_AUTO_TEST_CASE(a_secret_does_not_travel_in_clear) {
    BOOST_TEST(check_secret({}, url_of("https://h/")).ok());
    BOOST_TEST(check_secret({}, url_of("http://127.0.0.1:1/")).ok());
    BOOST_TEST(check_secret({}, url_of("http://localhost/")).ok());
    BOOST_TEST(check_secret({}, url_of("http://h/")).error().code == "secret_over_http");
    BOOST_TEST(check_secret({}, url_of("http://10.0.0.1/")).error().code == "secret_over_http");
    BOOST_TEST(check_secret({.secrets_over_http = true}, url_of("http://10.0.0.1/")).ok());
}

BOOST_AUTO_TEST_SUITE_END()
