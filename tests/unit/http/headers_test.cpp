// Header fields and response heads.
#include <boost/test/unit_test.hpp>

#include "http/client.hpp"
#include "http/headers.hpp"
#include "http/server_head.hpp"

using namespace foxwedge;
using namespace foxwedge::http;

BOOST_AUTO_TEST_SUITE(headers)

BOOST_AUTO_TEST_CASE(names_compare_without_case_and_values_join) {
    Headers h{{"Retry-After", "5"}, {"retry-after", "9"}, {"X", ""}};
    BOOST_TEST(*h.first("RETRY-AFTER") == "5");
    BOOST_TEST(*h.joined("Retry-after") == "5, 9");
    BOOST_TEST(h.has("x"));
    BOOST_TEST(!h.has("y"));
    h.set("x", "1");
    BOOST_TEST(*h.joined("X") == "1");
}

BOOST_AUTO_TEST_CASE(a_value_cannot_smuggle_a_second_header) {
    BOOST_TEST(check_field("X-Ok", "a b\tc").ok());
    for (auto name : {"", "a b", "a:", "a\r\nb", "\xC3\xA9"})
        BOOST_TEST(!check_field(name, "v").ok());
    for (std::string_view value :
         {std::string_view("a\r\nb: c"), std::string_view("a\nb"), std::string_view("a\0b", 3)})
        BOOST_TEST(check_field("X", value).error().code == "invalid_request");
    BOOST_TEST(!head_text(200, {{"X", "a\r\nSet-Cookie: b"}}, true).ok());
}

BOOST_AUTO_TEST_CASE(a_head_is_read_line_by_line) {
    HeadReader reader;
    for (auto line : {"HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n", "HTTP/2 200\r\n",
                      "Content-Type:  text/plain ; q=1 \r\n", "folded\r\n", "\r\n"})
        BOOST_REQUIRE(reader.line(line, 1000).ok());
    BOOST_TEST(reader.status() == 200);
    BOOST_TEST(!reader.headers().has("link"));
    BOOST_TEST(*reader.headers().first("content-type") == "text/plain ; q=1");
    BOOST_TEST(HeadReader().line("HTTP/1.1 abc", 100).error().code == "bad_response");
    BOOST_TEST(HeadReader().line(std::string(101, 'x'), 100).error().code == "response_too_large");
}

// B22: a reply's type has parameters and any letter case.
BOOST_AUTO_TEST_CASE(a_media_type_is_read_without_parameters) {
    BOOST_TEST(media_type("Text/Event-Stream; charset=utf-8") == "text/event-stream");
    BOOST_TEST(media_type(" application/json ") == "application/json");
    BOOST_TEST(media_type("") == "");
}

// B71: what is masked where requests are shown.
BOOST_AUTO_TEST_CASE(fields_that_carry_credentials_are_known_by_name) {
    for (auto name :
         {"Authorization", "x-api-key", "X-Auth-Token", "Cookie", "Set-Cookie", "X-Secret"})
        BOOST_TEST(is_sensitive_field(name));
    for (auto name : {"Content-Type", "Accept"}) BOOST_TEST(!is_sensitive_field(name));
}

BOOST_AUTO_TEST_CASE(a_chunk_carries_its_size) {
    BOOST_TEST(chunk_text("abcdefghijklmnopq") == "11\r\nabcdefghijklmnopq\r\n");
}

BOOST_AUTO_TEST_SUITE_END()
