// A service over HTTP, asked by our own client and by hand.
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <thread>

#include "eventually.hpp"
#include "http/url.hpp"
#include "mcp/client.hpp"
#include "mcp/serve_http.hpp"

using namespace foxwedge;
using namespace foxwedge::mcp;
using foxwedge::test::eventually;

namespace {

constexpr const char* modern_meta_text =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

using Fields = std::vector<http::RequestField>;

struct HttpServerFixture {
    std::atomic<bool> waiting{false}, left{false};
    Service service{"desk", "1.0"};
    HttpServing serving;
    std::unique_ptr<HttpService> server;
    std::unique_ptr<http::Client> http = http::make_client({});

    HttpServerFixture() {
        add("echo", [](const Json& arguments, Served& call) -> Result<ToolResult> {
            return text_result(std::string(call.user()) + ":" + to_text(arguments));
        });
        add("ask", [](const Json&, Served& call) -> Result<ToolResult> {
            FOXWEDGE_TRY(answer, call.ask("name", "elicitation/create", Json{{"message", "who?"}}));
            return text_result(to_text(answer));
        });
        add("wait", [this](const Json&, Served& call) -> Result<ToolResult> {
            waiting = true;
            eventually([&] { return call.until().stopped(); });
            left = call.until().stopped();
            return text_result("too late");
        });
        add("come_back", [](const Json&, Served& call) -> Result<ToolResult> {
            call.hang_up(Millis(1));
            return text_result("welcome back");
        });
        add("report", [](const Json&, Served& call) -> Result<ToolResult> {
            call.progress(1, 2, "half");
            return text_result("whole");
        });
        ServedTool header;
        header.definition.name = "header";
        header.definition.input_schema = *parse_json(
            R"({"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}})");
        header.run = [](const Json&, Served&) -> Result<ToolResult> { return text_result("ok"); };
        BOOST_REQUIRE(service.add(std::move(header)));
    }
    void add(const char* name, std::function<Result<ToolResult>(const Json&, Served&)> run) {
        ServedTool tool;
        tool.definition.name = name;
        tool.definition.input_schema = Json{{"type", "object"}};
        tool.run = std::move(run);
        BOOST_REQUIRE(service.add(std::move(tool)));
    }
    HttpService& serve() {
        auto made = serve_http(service, serving);
        BOOST_REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().message));
        server = std::move(*made);
        return *server;
    }

    std::shared_ptr<Client> client(JsonObject capabilities = {}) {
        if (!server) serve();
        ServerSpec spec;
        spec.name = "desk";
        spec.url = server->url();
        spec.capabilities = std::move(capabilities);
        return Client::make(std::move(spec), {.http = http.get()});
    }
    static Until soon() { return Until{}.within(std::chrono::seconds(30)); }
    static CallOptions options() {
        CallOptions options;
        options.until = soon();
        return options;
    }

    http::Caller granted() const {
        http::Caller caller;
        caller.grant.origins = {*http::origin_of(server->url())};
        return caller;
    }
    http::Response send(const char* method, Fields fields, std::string body = {}) {
        if (!server) serve();
        http::Request request{.method = method,
                              .url = server->url(),
                              .fields = std::move(fields),
                              .body = std::move(body)};
        if (!request.body.empty())
            request.fields.push_back({"Content-Type", "application/json", ""});
        auto response = http->fetch(request, granted(), soon());
        BOOST_REQUIRE_MESSAGE(response.ok(), (response.ok() ? "" : response.error().message));
        return std::move(*response);
    }
    http::Response post(std::string body, Fields fields = {}) {
        return send("POST", std::move(fields), std::move(body));
    }
    /// A request of 2026-07-28; its header fields are those given.
    http::Response post_modern(const std::string& method, const std::string& params,
                               Fields fields) {
        fields.push_back({"MCP-Protocol-Version", "2026-07-28", ""});
        return post(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params +
                        (params.empty() ? "" : ",") + modern_meta_text + "}}",
                    std::move(fields));
    }
    /// Shakes hands and gives the session's header field.
    http::RequestField session(const char* version = "2025-11-25") {
        const auto answer =
            post(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" +
                 std::string(version) + R"(","capabilities":{"elicitation":{}}}})");
        BOOST_TEST(answer.status == 200);
        const auto id = answer.headers.first("Mcp-Session-Id");
        BOOST_REQUIRE(id.has_value());
        return {"Mcp-Session-Id", std::string(*id), ""};
    }
    static std::string call_text(const char* tool) {
        return R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":")" +
               std::string(tool) + "\"}}";
    }
};

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_service_over_http, HttpServerFixture)

BOOST_AUTO_TEST_CASE(serves_our_own_client_at_the_newest_revision) {
    const auto desk = client();
    BOOST_TEST(desk->session(soon())->version == "2026-07-28");
    BOOST_TEST(desk->discover(soon())->tools.size() == 6u);
    const auto said = desk->call("echo", R"({"a":1})", options());
    BOOST_TEST((string_member(said->content.at(0), "text") == R"(:{"a":1})"));
    int reported = 0;
    auto watched = options();
    watched.on_progress = [&](const Json&) { ++reported; };
    BOOST_TEST(desk->call("report", "{}", watched).ok());
    BOOST_TEST(reported == 1);
    BOOST_TEST(desk->call("header", R"({"n":42})", options()).ok());
}

BOOST_AUTO_TEST_CASE(asks_a_modern_client_in_rounds) {
    const auto desk = client({{"elicitation", JsonObject()}});
    const auto first = desk->call("ask", "{}", options());
    BOOST_REQUIRE(!first.ok());
    BOOST_TEST(first.error().code == "input_required");
    auto again = options();
    again.input_responses = Json{{"name", {{"action", "decline"}}}};
    const auto second = desk->call("ask", "{}", again);
    BOOST_TEST((string_member(second->content.at(0), "text") == R"({"action":"decline"})"));
}

BOOST_AUTO_TEST_CASE(sees_a_modern_client_cancel_by_hanging_up) {
    const auto desk = client();
    auto cut = options();
    std::stop_source stop;
    cut.until.stop = stop.get_token();
    std::jthread caller([&] { BOOST_TEST(!desk->call("wait", "{}", cut).ok()); });
    BOOST_TEST(eventually([&] { return waiting.load(); }));
    stop.request_stop();
    BOOST_TEST(eventually([&] { return left.load(); }));
}

BOOST_AUTO_TEST_CASE(ends_with_calls_under_way) {
    const auto desk = client();
    std::jthread caller([&] { (void)desk->call("wait", "{}", options()); });
    BOOST_TEST(eventually([&] { return waiting.load(); }));
    server.reset();
    BOOST_TEST(left.load());
}

BOOST_AUTO_TEST_CASE(wants_header_fields_that_say_what_the_body_says) {
    const http::RequestField method{"Mcp-Method", "tools/call", ""};
    const http::RequestField name{"Mcp-Name", "header", ""};
    const std::string call = R"("name":"header","arguments":{"n":7})";
    BOOST_TEST(post_modern("tools/call", call, {method, name, {"Mcp-Param-N", "7", ""}}).status ==
               200);
    BOOST_TEST(post_modern("tools/call", call, {method, name, {"Mcp-Param-N", "7.0", ""}}).status ==
               200);
    for (const Fields& wrong :
         {Fields{name, {"Mcp-Param-N", "7", ""}}, Fields{method, {"Mcp-Param-N", "7", ""}},
          Fields{method, name}, Fields{method, name, {"Mcp-Param-N", "8", ""}},
          Fields{method, {"Mcp-Name", "other", ""}, {"Mcp-Param-N", "7", ""}},
          Fields{{"Mcp-Method", "TOOLS/CALL", ""}, name, {"Mcp-Param-N", "7", ""}}}) {
        const auto refused = post_modern("tools/call", call, wrong);
        BOOST_TEST(refused.status == 400);
        BOOST_TEST(has(refused.body, "-32020"));
        BOOST_TEST(has(refused.body, R"("id":1)"));
    }
}

BOOST_AUTO_TEST_CASE(has_a_status_for_the_errors_of_the_newest_revision) {
    BOOST_TEST(post_modern("nope", "", {{"Mcp-Method", "nope", ""}}).status == 404);
    BOOST_TEST(post_modern("ping", "", {{"Mcp-Method", "ping", ""}}).status == 404);
    BOOST_TEST(post_modern("tools/call", R"("name":"ask")",
                           {{"Mcp-Method", "tools/call", ""}, {"Mcp-Name", "ask", ""}})
                   .status == 400); // -32021
    const auto bare = post(R"({"jsonrpc":"2.0","id":9,"method":"tools/list"})",
                           {{"MCP-Protocol-Version", "2026-07-28", ""}});
    BOOST_TEST(bare.status == 400);
    BOOST_TEST(has(bare.body, "-32602"));
    BOOST_TEST(post("nonsense").status == 400);
    BOOST_TEST(send("GET", {{"MCP-Protocol-Version", "2026-07-28", ""}}).status == 405);
}

BOOST_AUTO_TEST_CASE(turns_foreign_hosts_and_origins_away) {
    const std::string hello =
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})";
    BOOST_TEST(post(hello, {{"Host", "evil.example", ""}}).status == 403);
    BOOST_TEST(post(hello, {{"Origin", "http://evil.example", ""}}).status == 403);
    BOOST_TEST(post(hello, {{"Origin", "null", ""}}).status == 403);
    BOOST_TEST(post(hello, {{"Origin", "http://localhost:3000", ""}}).status == 200);
    BOOST_TEST(post(hello, {{"Host", "[::1]:1", ""}}).status == 200);
}

BOOST_AUTO_TEST_CASE(knows_a_client_by_its_token) {
    serving.tokens = {{"desk", "secret-1"}, {"lab", "secret-2"}};
    const Fields desk{{"Authorization", "Bearer secret-1", ""}};
    const Fields lab{{"Authorization", "bearer secret-2", ""}};
    const std::string hello =
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})";
    BOOST_TEST(post(hello).status == 401);
    BOOST_TEST(post(hello, {{"Authorization", "Bearer secret-12", ""}}).status == 401);
    BOOST_TEST(post(hello, {{"Authorization", "secret-1", ""}}).status == 401);
    const auto opened = post(hello, desk);
    BOOST_TEST(opened.status == 200);
    const http::RequestField id{"Mcp-Session-Id",
                                std::string(*opened.headers.first("Mcp-Session-Id")), ""};
    BOOST_TEST(has(post(call_text("echo"), {desk[0], id}).body, "desk:{}"));
    // Another's session is no session.
    BOOST_TEST(post(call_text("echo"), {lab[0], id}).status == 404);
}

BOOST_AUTO_TEST_CASE(keeps_a_session_from_the_handshake_to_its_end) {
    const auto id = session();
    BOOST_TEST(post(call_text("echo")).status == 400);
    BOOST_TEST(post(call_text("echo"), {{"Mcp-Session-Id", "nobody", ""}}).status == 404);
    BOOST_TEST(post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", {id}).status ==
               202);
    BOOST_TEST(post(call_text("echo"), {id}).status == 200);
    BOOST_TEST(post(call_text("echo"), {id, {"MCP-Protocol-Version", "1999-01-01", ""}}).status ==
               400);
    BOOST_TEST(send("DELETE", {id}).status == 204);
    BOOST_TEST(post(call_text("echo"), {id}).status == 404);
}

BOOST_AUTO_TEST_CASE(makes_room_for_new_sessions_by_the_longest_unused) {
    serving.sessions = 2;
    const auto first = session(), second = session();
    BOOST_TEST(post(call_text("echo"), {first}).status == 200);
    const auto third = session();
    BOOST_TEST(post(call_text("echo"), {first}).status == 200);
    BOOST_TEST(post(call_text("echo"), {second}).status == 404);
    BOOST_TEST(post(call_text("echo"), {third}).status == 200);
}

BOOST_AUTO_TEST_CASE(takes_batches_of_the_one_revision_that_has_them) {
    const std::string batch = "[" + call_text("echo") +
                              R"(,{"jsonrpc":"2.0","method":"notifications/initialized"},)" +
                              R"({"jsonrpc":"2.0","id":6,"method":"ping"}])";
    const auto answered = post(batch, {session("2025-03-26")});
    BOOST_TEST(has(answered.body, R"("id":5)"));
    BOOST_TEST(has(answered.body, R"("id":6)"));
    BOOST_TEST(post(batch, {session()}).status == 400);
}

BOOST_AUTO_TEST_CASE(gives_the_rest_of_an_answer_to_a_client_that_comes_back) {
    const auto id = session();
    const auto begun = post(call_text("come_back"), {id});
    BOOST_TEST(has(begun.body, "retry: 1"));
    BOOST_TEST(!has(begun.body, "welcome back"));
    const auto at = begun.body.find("id: ") + 4;
    const std::string last = begun.body.substr(at, begun.body.find('\n', at) - at);
    const auto rest =
        send("GET", {id, {"Accept", "text/event-stream", ""}, {"Last-Event-ID", last, ""}});
    BOOST_TEST(has(rest.body, "welcome back"));
    BOOST_TEST(send("GET", {id, {"Last-Event-ID", "77.1", ""}}).status == 404);
    BOOST_TEST(send("GET", {id, {"Last-Event-ID", "x", ""}}).status == 404);
}

BOOST_AUTO_TEST_CASE(begins_an_answer_that_takes_long_before_its_client_gives_up) {
    serving.keep_alive = Millis(10);
    std::atomic<bool> begun{false};
    add("long", [&](const Json&, Served&) -> Result<ToolResult> {
        return text_result(eventually([&] { return begun.load(); }) ? "at last" : "in vain");
    });
    serve();
    const auto id = session();
    for (const bool modern : {false, true}) {
        http::Request call{
            .method = "POST", .url = server->url(), .fields = {}, .body = call_text("long")};
        call.fields.push_back({"Content-Type", "application/json", ""});
        if (modern) {
            call.fields.insert(call.fields.end(), {{"MCP-Protocol-Version", "2026-07-28", ""},
                                                   {"Mcp-Method", "tools/call", ""},
                                                   {"Mcp-Name", "long", ""}});
            call.body =
                R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"long",)" +
                std::string(modern_meta_text) + "}}";
        } else {
            call.fields.push_back(id);
        }
        std::string heard;
        http::Receiver receiver;
        receiver.head = [](const http::ResponseHead&) -> Status { return {}; };
        receiver.chunk = [&](std::string_view bytes) -> Status {
            heard += bytes;
            begun = true;
            return {};
        };
        begun = false;
        BOOST_TEST(http->send(call, granted(), receiver, soon()).ok());
        BOOST_TEST(has(heard, "at last"), heard);
        if (!modern) BOOST_TEST(has(heard, "id: "), heard); // of an event, to come back with
    }
}

BOOST_AUTO_TEST_CASE(asks_a_handshake_client_over_the_stream_of_its_call) {
    const auto id = session();
    http::Request call{
        .method = "POST", .url = server->url(), .fields = {id}, .body = call_text("ask")};
    call.fields.push_back({"Content-Type", "application/json", ""});
    std::string heard;
    bool answered = false;
    http::Receiver receiver;
    receiver.head = [](const http::ResponseHead&) -> Status { return {}; };
    receiver.chunk = [&](std::string_view bytes) -> Status {
        heard += bytes;
        if (has(heard, "elicitation/create") && !std::exchange(answered, true))
            post(R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{}}})", {id});
        return {};
    };
    BOOST_TEST(http->send(call, granted(), receiver, soon()).ok());
    BOOST_TEST(has(heard, R"(\"action\":\"accept\")"));
}

BOOST_AUTO_TEST_CASE(tells_listeners_of_both_eras_what_has_changed) {
    serve();
    const auto listen = [&](const char* method, Fields fields, std::string body,
                            std::string_view ready, std::string_view wanted) {
        http::Request request{.method = method,
                              .url = server->url(),
                              .fields = std::move(fields),
                              .body = std::move(body)};
        std::string heard;
        bool changed = false;
        http::Receiver receiver;
        receiver.head = [](const http::ResponseHead&) -> Status { return {}; };
        receiver.chunk = [&](std::string_view bytes) -> Status {
            heard += bytes;
            if (has(heard, ready) && !std::exchange(changed, true)) service.remove_tool("echo");
            return has(heard, wanted) ? permanent("enough", "heard it") : Status();
        };
        const auto ended = http->send(request, granted(), receiver, soon());
        BOOST_TEST(ended.error().code == "enough");
    };
    const auto id = session();
    post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", {id});
    listen("GET", {id, {"Accept", "text/event-stream", ""}}, "",
           "id: ", "notifications/tools/list_changed");
    add("echo", [](const Json&, Served&) -> Result<ToolResult> { return text_result(""); });
    listen(
        "POST",
        {{"Content-Type", "application/json", ""},
         {"MCP-Protocol-Version", "2026-07-28", ""},
         {"Mcp-Method", "subscriptions/listen", ""}},
        R"({"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},)" +
            std::string(modern_meta_text) + "}}",
        "subscriptions/acknowledged", "notifications/tools/list_changed");
}

BOOST_AUTO_TEST_SUITE_END()
