#include <boost/test/unit_test.hpp>

#include "mcp/message.hpp"

using namespace foxwedge;
using namespace foxwedge::mcp;

namespace {

std::string kind(std::string_view text) {
    const Message message = classify(*parse_json(text));
    if (std::get_if<Response>(&message)) return "response";
    if (std::get_if<Request>(&message)) return "request";
    if (std::get_if<Notification>(&message)) return "notification";
    return "malformed";
}

std::int64_t number(std::string_view json) {
    return own_id(*parse_json(json)).value_or(-1);
}

} // namespace

BOOST_AUTO_TEST_SUITE(a_message)

BOOST_AUTO_TEST_CASE(is_told_by_its_members) {
    BOOST_TEST(kind(R"({"jsonrpc":"2.0","id":1,"result":{}})") == "response");
    BOOST_TEST(kind(R"({"jsonrpc":"2.0","id":1,"result":null})") == "response");
    BOOST_TEST(kind(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m"}})") == "response");
    BOOST_TEST(kind(R"({"jsonrpc":"2.0","id":null,"error":{"code":-1}})") == "response");
    BOOST_TEST(kind(R"({"jsonrpc":"2.0","error":{"code":-1}})") == "response");
    BOOST_TEST(kind(R"({"jsonrpc":"2.0","id":"x","method":"ping"})") == "request");
    BOOST_TEST(kind(R"({"jsonrpc":"2.0","method":"notifications/x"})") == "notification");
    BOOST_TEST(kind(R"({"jsonrpc":"2.0","id":1})") == "malformed");
    BOOST_TEST(kind(R"({"jsonrpc":"2.0","id":1.5,"result":{}})") == "malformed");
    BOOST_TEST(kind(R"({"jsonrpc":"2.0","id":{},"method":"ping"})") == "malformed");
    BOOST_TEST(kind(R"({"jsonrpc":"2.0","id":1,"method":7})") == "malformed");
    BOOST_TEST(kind(R"({"jsonrpc":"2.0","result":{}})") == "malformed");
    BOOST_TEST(kind("[]") == "malformed");
}

// B04
BOOST_AUTO_TEST_CASE(answers_us_by_number_or_by_its_canonical_text) {
    BOOST_TEST(number("7") == 7);
    BOOST_TEST(number("\"7\"") == 7);
    BOOST_TEST(number("\"0\"") == 0);
    for (const char* foreign : {"\"07\"", "\"7.0\"", "\" 7\"", "\"7 \"", "\"-7\"", "\"\"", "\"x\"",
                                "null", "7.5", "{}", "\"\\\"7\\\"\"", "\"99999999999999999999\""})
        BOOST_TEST(number(foreign) == -1, foreign);
}

BOOST_AUTO_TEST_CASE(is_written_on_one_line) {
    BOOST_TEST(request_line(3, "tools/call", "{\"a\":\n1,\r\n\"b\":\"x\\ny\"}") ==
               "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"a\": 1,  "
               "\"b\":\"x\\ny\"}}\n");
    BOOST_TEST(notification_line("notifications/initialized", "") ==
               "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    BOOST_TEST(result_line("7", JsonObject()) ==
               "{\"jsonrpc\":\"2.0\",\"id\":\"7\",\"result\":{}}\n");
    BOOST_TEST(error_line(7, {-32601, "no \"x\"", nullptr}) ==
               "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32601,\"message\":\"no "
               "\\\"x\\\"\"}}\n");
}

BOOST_AUTO_TEST_SUITE_END()
