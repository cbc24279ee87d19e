// The client over Streamable HTTP, against a server that says what each test wants.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>

#include "eventually.hpp"
#include "http/server.hpp"
#include "mcp/client.hpp"
#include "mcp/header_params.hpp"

using namespace foxwedge;
using namespace foxwedge::mcp;

namespace {

using Answering = std::shared_ptr<http::Responder>;

std::string result_text(const Json& id, const Json& result) {
    return to_text(Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}
Json text_of_call(std::string text) {
    return {{"content", JsonArray{JsonObject{{"type", "text"}, {"text", std::move(text)}}}}};
}

/// A handshake or modern server; what it does with tools/call is the test's.
struct Desk {
    using Call = std::function<void(const http::ServerRequest&, const Json& message, Answering)>;
    Call call;
    bool modern = false, sessions = false;
    bool no_sessions = false; ///< 404 for the handshake
    std::atomic<int> initializes{0}, calls{0}, gets{0}, deletes{0};
    std::function<void(const http::ServerRequest&, Answering)> get;
    Json tools = JsonArray{JsonObject{{"name", "t"}, {"inputSchema", {{"type", "object"}}}}};
    std::mutex mutex;
    std::vector<std::string> methods;

    std::unique_ptr<http::Server> server = [this] {
        auto made = http::make_server("127.0.0.1", 0, [this](auto request, auto answer) {
            serve(request, std::move(answer));
        });
        BOOST_REQUIRE(made.ok());
        return std::move(*made);
    }();

    static void json(Answering answer, const std::string& body, http::Headers extra = {}) {
        extra.add("Content-Type", "Application/JSON; charset=utf-8");
        (void)answer->respond(200, std::move(extra), body);
    }
    void serve(const http::ServerRequest& request, Answering answer) {
        if (request.method == "GET") {
            ++gets;
            if (get) return get(request, std::move(answer));
            return (void)answer->respond(405, {}, "");
        }
        if (request.method == "DELETE") {
            ++deletes;
            return (void)answer->respond(405, {}, "");
        }
        const auto message = parse_json(request.body);
        const auto method = std::string(string_member(*message, "method").value_or("(answer)"));
        {
            std::lock_guard lock(mutex);
            methods.push_back(method);
        }
        const Json* id = member(*message, "id");
        if (method == "server/discover") {
            if (!modern) return (void)answer->respond(400, {}, "Bad Request: no session");
            return json(answer, result_text(*id, {{"supportedVersions", JsonArray{"2026-07-28"}},
                                                  {"capabilities", {{"tools", JsonObject()}}}}));
        }
        if (method == "initialize") {
            const int number = ++initializes;
            if (no_sessions) return (void)answer->respond(404, {}, "");
            http::Headers headers;
            if (sessions) headers.add("Mcp-Session-Id", "s" + std::to_string(number));
            return json(answer,
                        result_text(*id, {{"protocolVersion", "2025-11-25"},
                                          {"capabilities", {{"tools", JsonObject()}}}}),
                        headers);
        }
        if (method == "tools/list") return json(answer, result_text(*id, {{"tools", tools}}));
        if (method != "tools/call") return (void)answer->respond(202, {}, "");
        ++calls;
        call(request, *message, std::move(answer));
    }
};

struct HttpFixture {
    std::unique_ptr<http::Client> http = http::make_client({});
    Desk desk;
    ServerSpec spec() {
        ServerSpec spec;
        spec.name = "desk";
        spec.url = desk.server->origin() + "/mcp";
        return spec;
    }
    std::shared_ptr<Client> client() { return client_of(spec()); }
    std::shared_ptr<Client> client_of(ServerSpec spec) {
        return Client::make(std::move(spec), {.http = http.get()});
    }
    static CallOptions options() {
        CallOptions options;
        options.until = Until{}.within(std::chrono::seconds(20));
        return options;
    }
    static Result<ToolResult> call(Client& client, std::string_view arguments = "{}") {
        return client.call("t", arguments, options());
    }
    static std::string text(const Result<ToolResult>& result) {
        BOOST_REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().message));
        return std::string(string_member(result->content.at(0), "text").value_or(""));
    }
    static std::string code(const Result<ToolResult>& result) {
        return result.ok() ? "ok" : result.error().code;
    }
    bool saw(std::string_view method) {
        std::lock_guard lock(desk.mutex);
        for (const auto& each : desk.methods)
            if (each == method) return true;
        return false;
    }
};

std::string event(const std::string& data, const std::string& id = "") {
    return (id.empty() ? "" : "id: " + id + "\n") + "data: " + data + "\n\n";
}

Desk::Call answered_by_json(std::string text) {
    return [text](auto&, const Json& message, Answering answer) {
        Desk::json(answer, result_text(*member(message, "id"), text_of_call(text)));
    };
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(over_http, HttpFixture)

BOOST_AUTO_TEST_CASE(a_client_lists_and_calls_in_both_eras) {
    desk.call = answered_by_json("hi");
    for (const bool modern : {false, true}) {
        desk.modern = modern;
        const auto peer = client();
        const auto list = peer->discover(options().until);
        BOOST_REQUIRE(list.ok());
        BOOST_TEST(list->tools.size() == 1u);
        BOOST_TEST(text(call(*peer)) == "hi");
    }
    BOOST_TEST(desk.initializes == 1);
}

BOOST_AUTO_TEST_CASE(requests_say_their_revision_and_session) {
    desk.sessions = true;
    desk.call = [](const http::ServerRequest& request, const Json& message, Answering answer) {
        const std::string seen =
            std::string(request.headers.first("Mcp-Session-Id").value_or("-")) + " " +
            std::string(request.headers.first("MCP-Protocol-Version").value_or("-"));
        Desk::json(answer, result_text(*member(message, "id"), text_of_call(seen)));
    };
    BOOST_TEST(text(call(*client())) == "s1 2025-11-25");
}

BOOST_AUTO_TEST_CASE(modern_requests_repeat_name_and_marked_arguments) {
    desk.modern = true;
    desk.tools = *parse_json(R"([{"name":"t","inputSchema":{"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"}}}},
        {"name":"bad","inputSchema":{"type":"object","properties":{
        "a":{"type":"array","x-mcp-header":"A"}}}}])");
    desk.call = [](const http::ServerRequest& request, const Json& message, Answering answer) {
        std::string seen;
        for (const char* name : {"Mcp-Method", "Mcp-Name", "Mcp-Param-Region"})
            seen += std::string(request.headers.first(name).value_or("-")) + "|";
        Desk::json(answer, result_text(*member(message, "id"), text_of_call(seen)));
    };
    const auto peer = client();
    const auto list = peer->discover(options().until);
    BOOST_REQUIRE(list.ok());
    BOOST_REQUIRE(list->dropped.size() == 1u);
    BOOST_TEST(list->dropped[0].name == "bad");
    BOOST_TEST(text(call(*peer, R"({"region":"eu"})")) == "tools/call|t|eu|");
    BOOST_TEST(text(call(*peer, R"({"region":"für alle"})")) ==
               "tools/call|t|=?base64?ZsO8ciBhbGxl?=|");
    BOOST_TEST(text(call(*peer, R"({"region":null})")) == "tools/call|t|-|");
}

BOOST_AUTO_TEST_CASE(an_answer_may_come_as_a_stream_with_progress_and_questions) {
    desk.call = [](auto&, const Json& message, Answering answer) {
        const Json* token = at_pointer(message, "/params/_meta/progressToken");
        (void)answer->start(200, {{"Content-Type", "text/event-stream"}});
        (void)answer->write(
            ": hello\n\n" +
            event(to_text(Json{{"jsonrpc", "2.0"},
                               {"method", "notifications/progress"},
                               {"params", {{"progressToken", *token}, {"progress", 1}}}})));
        (void)answer->write(event(R"({"jsonrpc":"2.0","id":"q1","method":"ping"})"));
        (void)answer->write(event(result_text(*member(message, "id"), text_of_call("streamed"))));
        answer->finish();
    };
    auto watched = options();
    int steps = 0;
    watched.on_progress = [&](const Json&) { ++steps; };
    const auto peer = client();
    BOOST_TEST(text(peer->call("t", "{}", watched)) == "streamed");
    BOOST_TEST(steps == 1);
    BOOST_TEST(saw("(answer)"));
}

// B19
BOOST_AUTO_TEST_CASE(a_forgotten_session_is_begun_anew_once) {
    desk.sessions = true;
    desk.call = [&](const http::ServerRequest& request, const Json& message, Answering answer) {
        if (request.headers.first("Mcp-Session-Id") == "s1")
            return (void)answer->respond(404, {}, "");
        Desk::json(answer, result_text(*member(message, "id"), text_of_call("again")));
    };
    const auto peer = client();
    BOOST_TEST(text(call(*peer)) == "again");
    BOOST_TEST(desk.initializes == 2);
    BOOST_TEST(desk.calls == 2);
    // The verdict on its era is remembered.
    BOOST_TEST(std::count(desk.methods.begin(), desk.methods.end(), "server/discover") == 1);
}

// B19
BOOST_AUTO_TEST_CASE(a_session_that_is_forgotten_twice_fails_the_call) {
    desk.sessions = true;
    desk.call = [](auto&, auto&, Answering answer) { (void)answer->respond(404, {}, ""); };
    BOOST_TEST(code(call(*client())) == "connection_lost");
    BOOST_TEST(desk.initializes == 2);
    BOOST_TEST(desk.calls == 2);
}

// B19
BOOST_AUTO_TEST_CASE(concurrent_calls_share_the_session_that_takes_the_place_of_a_forgotten_one) {
    desk.sessions = true;
    constexpr int callers = 8;
    std::atomic<int> refused{0};
    desk.call = [&](const http::ServerRequest& request, const Json& message, Answering answer) {
        if (request.headers.first("Mcp-Session-Id") == "s1") {
            ++refused;
            return (void)answer->respond(404, {}, "");
        }
        Desk::json(answer, result_text(*member(message, "id"), text_of_call("again")));
    };
    const auto peer = client();
    BOOST_REQUIRE(peer->session(options().until).ok());
    std::vector<std::future<Result<ToolResult>>> calls;
    for (int i = 0; i < callers; ++i)
        calls.push_back(std::async(std::launch::async, [&] { return call(*peer); }));
    for (auto& each : calls) BOOST_TEST(text(each.get()) == "again");
    BOOST_TEST(desk.initializes == 2);
    BOOST_TEST(desk.calls == callers + refused);
}

// B19
BOOST_AUTO_TEST_CASE(a_404_for_the_handshake_itself_is_the_end) {
    desk.no_sessions = true;
    BOOST_TEST(!call(*client()).ok());
    BOOST_TEST(desk.initializes == 1);
}

// B21
BOOST_AUTO_TEST_CASE(a_stream_that_brings_nothing_new_is_taken_up_ten_times) {
    desk.call = [](auto&, auto&, Answering answer) {
        (void)answer->start(200, {{"Content-Type", "text/event-stream"}});
        (void)answer->write("retry: 1\nid: e1\ndata:\n\n"); // at least 100 ms, whatever it says
        answer->finish();
    };
    desk.get = [](auto&, Answering answer) {
        (void)answer->start(200, {{"Content-Type", "text/event-stream"}});
        answer->finish();
    };
    const auto result = call(*client());
    BOOST_TEST(code(result) == "connection_lost");
    BOOST_TEST((result.error().certainty == Certainty::unknown));
    BOOST_TEST(desk.gets == 10);
    BOOST_TEST(desk.calls == 1);
}

// B22
BOOST_AUTO_TEST_CASE(a_server_that_refuses_the_stream_beside_the_calls_is_asked_for_it_once) {
    ServerSpec may_be_asked = spec();
    may_be_asked.capabilities["elicitation"] = JsonObject();
    desk.sessions = true;
    desk.call = answered_by_json("fine");
    for (const int status : {404, 405, 406, 400, 200}) {
        desk.gets = 0;
        desk.get = [status](auto&, Answering answer) {
            (void)answer->respond(status, {{"Content-Type", "application/json"}}, "{}");
        };
        const auto peer = client_of(may_be_asked);
        for (int i = 0; i < 3; ++i) BOOST_TEST(text(call(*peer)) == "fine", status);
        BOOST_TEST(foxwedge::test::eventually([&] { return desk.gets == 1; }), status);
        peer->stop();
        BOOST_TEST(desk.gets == 1, status);
    }
}

// B21
BOOST_AUTO_TEST_CASE(a_broken_stream_is_taken_up_where_it_was) {
    std::string answer_text;
    desk.call = [&](auto&, const Json& message, Answering answer) {
        answer_text = result_text(*member(message, "id"), text_of_call("resumed"));
        (void)answer->start(200, {{"Content-Type", "text/event-stream"}});
        (void)answer->write("retry: 100\nid: e1\ndata:\n\n");
        answer->finish();
    };
    std::vector<std::string> ids;
    desk.get = [&](const http::ServerRequest& request, Answering answer) {
        ids.emplace_back(request.headers.first("Last-Event-ID").value_or("-"));
        (void)answer->start(200, {{"Content-Type", "text/event-stream"}});
        if (ids.size() == 3) (void)answer->write(event(answer_text) + event(answer_text));
        answer->finish();
    };
    BOOST_TEST(text(call(*client())) == "resumed");
    const std::vector<std::string> expected{"e1", "e1", "e1"};
    BOOST_TEST(ids == expected, boost::test_tools::per_element());
    BOOST_TEST(desk.calls == 1); // never posted again
}

BOOST_AUTO_TEST_CASE(a_stream_that_ends_without_its_answer_is_a_loss) {
    desk.call = [](auto&, auto&, Answering answer) {
        (void)answer->start(200, {{"Content-Type", "text/event-stream"}});
        (void)answer->write("data: {\"jsonrpc\":\"2.0\",");
        answer->finish();
    };
    const auto result = call(*client());
    BOOST_TEST(code(result) == "connection_lost");
    BOOST_TEST((result.error().certainty == Certainty::unknown));
}

// B24
BOOST_AUTO_TEST_CASE(a_server_that_wants_credentials_is_not_asked_again) {
    desk.call = [](auto&, auto&, Answering answer) {
        (void)answer->respond(401, {{"WWW-Authenticate", "Bearer error=\"invalid_token\""}}, "");
    };
    BOOST_TEST(code(call(*client())) == "auth_required");
    BOOST_TEST(desk.calls == 1);
}

// B22
BOOST_AUTO_TEST_CASE(a_session_ends_cleanly_whatever_the_server_says_to_it) {
    desk.sessions = true;
    desk.call = answered_by_json("x");
    const auto peer = client();
    BOOST_TEST(text(call(*peer)) == "x");
    peer->stop();
    BOOST_TEST(desk.deletes == 1);
    BOOST_TEST(desk.gets == 0); // no listening stream, so nothing to refuse
}

BOOST_AUTO_TEST_CASE(statuses_tell_whether_the_call_may_have_happened) {
    const std::tuple<int, const char*, Certainty> table[] = {
        {400, "http_error", Certainty::permanent},
        {403, "forbidden", Certainty::permanent},
        {429, "rate_limited", Certainty::not_done},
        {500, "http_error", Certainty::unknown},
        {503, "rate_limited", Certainty::not_done}};
    for (const auto& [status, expected, certainty] : table) {
        desk.call = [status = status](auto&, auto&, Answering answer) {
            (void)answer->respond(status, {{"Retry-After", "7"}}, "no");
        };
        const auto result = call(*client());
        BOOST_TEST(code(result) == expected);
        BOOST_TEST((result.error().certainty == certainty), status);
        if (certainty == Certainty::not_done)
            BOOST_TEST(result.error().retry_after.count() == 7000);
    }
}

BOOST_AUTO_TEST_CASE(a_refusal_with_a_json_rpc_body_says_what_it_says) {
    desk.call = [](auto&, auto&, Answering answer) {
        (void)answer->respond(
            400, {}, R"({"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no t"}})");
    };
    const auto result = call(*client());
    BOOST_REQUIRE(result.ok());
    BOOST_TEST(result->is_error);
    BOOST_TEST(text(result) == "no t");
}

BOOST_AUTO_TEST_CASE(a_server_that_is_not_there_has_done_nothing) {
    ServerSpec nowhere = spec();
    desk.server.reset();
    const auto result = call(*client_of(nowhere));
    BOOST_TEST(code(result) == "server_unavailable");
    BOOST_TEST((result.error().certainty == Certainty::not_done));
}

BOOST_AUTO_TEST_CASE(a_cancelled_call_is_cancelled_at_the_server_too) {
    std::promise<void> arrived;
    std::promise<Answering> kept;
    desk.call = [&](auto&, auto&, Answering answer) {
        (void)answer->start(200, {{"Content-Type", "text/event-stream"}});
        kept.set_value(answer);
        arrived.set_value();
    };
    const auto peer = client();
    std::stop_source stop;
    auto stoppable = options();
    stoppable.until.stop = stop.get_token();
    auto cancelled =
        std::async(std::launch::async, [&] { return peer->call("t", "{}", stoppable); });
    arrived.get_future().wait();
    stop.request_stop();
    const auto result = cancelled.get();
    BOOST_TEST(code(result) == "cancelled");
    BOOST_TEST(saw("notifications/cancelled"));
    kept.get_future().get()->abort();
}

BOOST_AUTO_TEST_CASE(headers_are_resolved_for_each_request) {
    ServerSpec with_token = spec();
    with_token.headers = {{"Authorization", "Bearer ${secret:T}"}, {"X-Plain", "p"}};
    std::atomic<int> resolved{0};
    with_token.resolve = [&](std::string_view text) -> Result<std::string> {
        if (text == "${secret:T}") return "token" + std::to_string(++resolved);
        return std::string(text);
    };
    desk.call = [](const http::ServerRequest& request, const Json& message, Answering answer) {
        Desk::json(answer, result_text(*member(message, "id"),
                                       text_of_call(std::string(
                                           request.headers.first("Authorization").value_or("-")))));
    };
    const auto peer = client_of(with_token);
    const auto first = text(call(*peer)), second = text(call(*peer));
    BOOST_TEST(first.substr(0, 12) == "Bearer token");
    BOOST_TEST(first != second);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(header_annotations)

BOOST_AUTO_TEST_CASE(are_found_along_properties_only) {
    const auto read = [](std::string_view json) { return header_params(*parse_json(json)); };
    const auto nested = read(R"({"properties":{"a":{"type":"object","properties":{
        "b":{"type":"integer","x-mcp-header":"B"}}}}})");
    BOOST_REQUIRE(nested.ok());
    BOOST_TEST(nested->size() == 1u);
    const auto fields = header_fields(*nested, *parse_json(R"({"a":{"b":42}})"));
    BOOST_REQUIRE(fields.size() == 1u);
    BOOST_TEST(fields[0].first == "Mcp-Param-B");
    BOOST_TEST(fields[0].second == "42");
    for (
        const char* bad :
        {R"({"properties":{"a":{"type":"number","x-mcp-header":"A"}}})",
         R"({"properties":{"a":{"type":"string","x-mcp-header":"A B"}}})",
         R"({"properties":{"a":{"type":"string","x-mcp-header":""}}})",
         R"({"properties":{"a":{"type":"string","x-mcp-header":7}}})",
         R"({"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}})",
         R"({"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}})",
         R"({"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]})"})
        BOOST_TEST(!read(bad).ok(), bad);
}

BOOST_AUTO_TEST_CASE(values_survive_whatever_they_hold) {
    BOOST_TEST(header_value("plain text") == "plain text");
    for (const std::string value :
         {" padded ", "für", "a\r\nb", "=?base64?x?=", "\t", "", "x\x7f"}) {
        const auto field = header_value(value);
        for (const char c : field) BOOST_TEST((c >= 0x20 && c < 0x7f));
        BOOST_TEST(*from_header_value(field) == value);
    }
    BOOST_TEST(!from_header_value("=?base64?%%?=").ok());
    BOOST_TEST(*from_header_value("=?base64?eA==") == "=?base64?eA==");
}

BOOST_AUTO_TEST_SUITE_END()
