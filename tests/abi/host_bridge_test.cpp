#define BOOST_TEST_MODULE capability_host
#include <boost/test/unit_test.hpp>

#include "plugin_host/action_tool.hpp"

using foxwedge::plugin::object;
using foxwedge::plugin::Value;

namespace {

constexpr const char* get = R"({"action":"get_configurations","projectId":"p"})";
constexpr const char* save = R"({"action":"manage_configurations","storage":"local","projectId":"p",
    "configurationId":"c","revision":3,"values":{"title":"Roadmap"}})";

struct Fixture {
    plugin_host::Host host;
    plugin_host::Plugin plugin{host, FOXWEDGE_PLUGIN_FILE};
    plugin_host::ActionTool tool{
        host, plugin, "workflow-host", "host_configuration",
        Value::parse(R"({"url":"http://127.0.0.1:7/bridge","token":{"secret":"BRIDGE"}})")};

    void answer(int status, std::string body) {
        host.response_head = object({{"status", status}, {"headers", object()}});
        host.response_pieces = {std::move(body)};
    }
    plugin_host::Outcome call(const char* arguments) { return tool.call(arguments); }
    std::string code(const char* arguments) { return tool.refused(arguments); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(the_host_bridge, Fixture)

BOOST_AUTO_TEST_CASE(posts_what_it_is_asked_and_gives_the_answer) {
    answer(200, R"({"configurations":[{"id":"c","revision":3}]})");
    const auto outcome = call(save);
    BOOST_TEST(!outcome.result.boolean("isError", false), to_text(outcome.result));
    BOOST_TEST(outcome.result["structuredContent"].array("configurations").size() == 1u);
    BOOST_REQUIRE(host.requests.size() == 1u);
    const auto& request = host.requests.front();
    BOOST_TEST(request.string("method") == "POST");
    BOOST_TEST(request.string("url") == "http://127.0.0.1:7/bridge");
    BOOST_TEST(request["headers"]["authorization"] ==
               Value::parse(R"({"secret":"BRIDGE","prefix":"Bearer "})"));
    BOOST_TEST(!request["headers"].string("idempotency-key").empty());
    BOOST_TEST(!request.boolean("redirects", true));
    const auto body = Value::parse(request.string("body"));
    BOOST_TEST(body.string("action") == "manage_configurations");
    BOOST_TEST(body["arguments"] ==
               Value::parse(R"({"storage":"local","projectId":"p","configurationId":"c",
                   "revision":3,"values":{"title":"Roadmap"}})"));
    BOOST_TEST(body["context"].string("project") == "p");
}

BOOST_AUTO_TEST_CASE(gives_each_refusal_its_code) {
    const std::pair<int, const char*> cases[] = {
        {400, "input_validation"}, {401, "denied"},      {403, "denied"},
        {404, "not_found"},        {409, "conflict"},    {422, "input_validation"},
        {302, "unavailable"},      {418, "unavailable"}, {500, "unavailable"}};
    for (const auto& [status, expected] : cases) {
        answer(status, R"({"message":"no"})");
        BOOST_TEST(code(get) == expected, status);
        BOOST_TEST(code(save) == expected, status);
    }
    answer(200, "<html>");
    BOOST_TEST(code(get) == "unavailable");
    answer(200, '"' + std::string(1 << 20, 'x') + '"');
    BOOST_TEST(code(get) == "unavailable 1048576");
}

BOOST_AUTO_TEST_CASE(does_not_know_whether_a_save_without_answer_happened) {
    host.response_status = FOXWEDGE_E_UNKNOWN;
    BOOST_TEST(code(get) == "unavailable");
    BOOST_TEST(call(save).status == FOXWEDGE_E_UNKNOWN);
    host.response_status = FOXWEDGE_E_TRANSIENT; // never connected
    BOOST_TEST(code(get) == "unavailable");
    BOOST_TEST(code(save) == "unavailable");
}

BOOST_AUTO_TEST_CASE(asks_nobody_without_a_bridge) {
    tool.instance = plugin.create("workflow-host");
    BOOST_TEST(code(get) == "unavailable");
    BOOST_TEST(host.requests.empty());
}

BOOST_AUTO_TEST_CASE(refuses_what_is_not_named_explicitly) {
    const std::pair<const char*, const char*> cases[] = {
        {R"({})", "/action"},
        {R"({"action":"delete_configurations"})", "/action"},
        {R"({"action":"get_configurations","values":{}})", "/values"},
        {R"({"action":"get_configurations","storage":""})", "/storage 1"},
        {R"({"action":"manage_configurations"})", "/storage"},
        {R"({"action":"manage_configurations","storage":"local","projectId":"p",
            "configurationId":"c","values":{}})",
         "/revision"},
        {R"({"action":"manage_configurations","storage":"local","projectId":"p",
            "configurationId":"c","revision":-1,"values":{}})",
         "/revision 0"},
        {R"({"action":"manage_configurations","storage":"local","projectId":"p",
            "configurationId":"c","revision":1,"values":[]})",
         "/values"},
    };
    for (const auto& [arguments, expected] : cases)
        BOOST_TEST(code(arguments) == std::string("input_validation ") + expected, arguments);
    BOOST_TEST(host.requests.empty());
}

BOOST_AUTO_TEST_SUITE_END()
