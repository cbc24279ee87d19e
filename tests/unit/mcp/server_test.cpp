// The server's side of the protocol, message by message.
#include <boost/test/unit_test.hpp>

#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "mcp/serve_stdio.hpp"
#include "mcp/server_session.hpp"

using namespace foxwedge;
using namespace foxwedge::mcp;

namespace {

struct NotedOutlet final : Outlet {
    void send(std::string_view message, bool last) override {
        std::lock_guard lock(mutex);
        messages.push_back(*parse_json(message));
        if (last) ++answers;
        changed.notify_all();
    }
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Json> messages;
    int answers = 0;
};

constexpr const char* modern =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"progressToken":9})";

struct ServerFixture {
    Service service{"desk", "1.0", "Be kind."};
    Seal seal;
    std::shared_ptr<ServerSession> session = std::make_shared<ServerSession>(service, seal);
    std::shared_ptr<NotedOutlet> outlet = std::make_shared<NotedOutlet>();

    ServerFixture() {
        ServedTool echo;
        echo.definition.name = "echo";
        echo.definition.effect = ToolEffect::none;
        echo.definition.input_schema = *parse_json(
            R"({"type":"object","properties":{"text":{"type":"string"}},"additionalProperties":false})");
        echo.run = [](const Json& arguments, Served&) -> Result<ToolResult> {
            return text_result(std::string(string_member(arguments, "text").value_or("-")));
        };
        BOOST_REQUIRE(service.add(echo));
        ServedTool ask;
        ask.definition.name = "ask";
        ask.definition.input_schema = Json{{"type", "object"}};
        ask.run = [](const Json&, Served& call) -> Result<ToolResult> {
            call.progress(1, 2, "asking");
            const bool again = !call.kept().is_null();
            call.keep(Json{{"round", 1}});
            FOXWEDGE_TRY(answer, call.ask("name", "elicitation/create", Json{{"message", "who?"}}));
            return text_result(to_text(answer) + (again ? " again" : ""));
        };
        BOOST_REQUIRE(service.add(ask));
        ServedTool wait;
        wait.definition.name = "wait";
        wait.run = [](const Json&, Served& call) -> Result<ToolResult> {
            while (!call.until().stopped()) std::this_thread::yield();
            return text_result("never sent");
        };
        BOOST_REQUIRE(service.add(wait));
        service.add(
            ServedResource{Json{{"uri", "t://a"}, {"name", "a"}},
                           [](std::string_view uri, const Json&, Served&) -> Result<JsonArray> {
                               return JsonArray{JsonObject{{"uri", uri}, {"text", "A"}}};
                           }});
        service.add(ServedResource{
            Json{{"uriTemplate", "t://x/{id}/data"}, {"name", "x"}},
            [](std::string_view uri, const Json& variables, Served&) -> Result<JsonArray> {
                return JsonArray{JsonObject{{"uri", uri}, {"text", to_text(variables)}}};
            }});
        service.add(
            ServedPrompt{*parse_json(R"({"name":"p","arguments":[{"name":"a","required":true}]})"),
                         [](const Json&, Served&) -> Result<Json> {
                             return Json{{"messages", JsonArray()}};
                         }});
    }
    ~ServerFixture() { session->end(); }

    void give(const std::string& message) { session->take(classify(*parse_json(message)), outlet); }
    /// The answer to `message`, as text.
    std::string ask(const std::string& message) {
        std::unique_lock lock(outlet->mutex);
        const int before = outlet->answers;
        lock.unlock();
        give(message);
        lock.lock();
        outlet->changed.wait(lock, [&] { return outlet->answers > before; });
        return to_text(outlet->messages.back());
    }
    std::string old(const std::string& method, const std::string& params = "{}") {
        return ask(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params +
                   "}");
    }
    std::string now(const std::string& method, const std::string& params = "") {
        return ask(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params +
                   (params.empty() ? "" : ",") + modern + "}}");
    }
    void shake_hands(const std::string& capabilities = "{}") {
        old("initialize", R"({"protocolVersion":"2025-06-18","capabilities":)" + capabilities +
                              R"(,"clientInfo":{"name":"c","version":"1"}})");
        give(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    }
};

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_server, ServerFixture)

BOOST_AUTO_TEST_CASE(agrees_on_the_clients_handshake_revision_or_its_own_newest) {
    BOOST_TEST(has(old("initialize", R"({"protocolVersion":"2024-11-05","capabilities":{}})"),
                   R"("protocolVersion":"2024-11-05")"));
    for (const char* odd : {"1999-01-01", "2026-07-28"})
        BOOST_TEST(has(old("initialize", R"({"protocolVersion":")" + std::string(odd) + R"("})"),
                       R"("protocolVersion":"2025-11-25")"));
}

BOOST_AUTO_TEST_CASE(is_discovered_by_modern_clients) {
    const auto answer = now("server/discover");
    BOOST_TEST(has(answer, R"("supportedVersions":["2026-07-28"])"));
    BOOST_TEST(has(answer, R"("resultType":"complete")"));
    BOOST_TEST(
        has(answer, R"("io.modelcontextprotocol/serverInfo":{"name":"desk","version":"1.0"})"));
    BOOST_TEST(has(old("server/discover"), "-32602"));
    BOOST_TEST(has(ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{
        "io.modelcontextprotocol/protocolVersion":"2031-01-01",
        "io.modelcontextprotocol/clientCapabilities":{}}}})"),
                   R"("code":-32022)"));
}

BOOST_AUTO_TEST_CASE(lists_in_a_stable_order_without_what_is_ours_alone) {
    const auto list = old("tools/list");
    BOOST_TEST(list.find("\"echo\"") < list.find("\"ask\""));
    BOOST_TEST(!has(list, "effect"));
    BOOST_TEST(!has(list, "ttlMs"));
    BOOST_TEST(has(now("tools/list"), R"("ttlMs":0)"));
    BOOST_TEST(has(old("tools/list", R"({"cursor":"zz"})"), "-32602"));
}

BOOST_AUTO_TEST_CASE(calls_tools_and_answers_bad_arguments_as_results) {
    BOOST_TEST(
        has(old("tools/call", R"({"name":"echo","arguments":{"text":"hi"}})"), R"("text":"hi")"));
    // The official suite leaves arguments out.
    BOOST_TEST(has(now("tools/call", R"("name":"echo")"), R"("text":"-")"));
    const auto bad = old("tools/call", R"({"name":"echo","arguments":{"text":7}})");
    BOOST_TEST(has(bad, R"("isError":true)"));
    BOOST_TEST(has(bad, "/text"));
    BOOST_TEST(has(old("tools/call", R"({"name":"nope"})"), R"("code":-32602)"));
    BOOST_TEST(has(old("tools/nope"), R"("code":-32601)"));
}

BOOST_AUTO_TEST_CASE(asks_modern_clients_by_a_second_round_whose_state_is_sealed) {
    const auto first = now("tools/call", R"("name":"ask")");
    BOOST_TEST(has(first, R"("resultType":"input_required")"));
    BOOST_TEST(has(first, R"("method":"elicitation/create")"));
    const auto answer = parse_json(first);
    const auto state = std::string(*string_member(*member(*answer, "result"), "requestState"));
    const std::string responses =
        R"(,"inputResponses":{"name":{"action":"accept"}},"requestState":)";
    const auto second = now("tools/call", R"("name":"ask")" + responses + quoted(state));
    BOOST_TEST(has(second, "again"));
    BOOST_TEST(
        has(now("tools/call", R"("name":"ask")" + responses + quoted(state + "0")), "-32602"));
}

BOOST_AUTO_TEST_CASE(asks_handshake_clients_in_the_middle_of_the_call) {
    shake_hands(R"({"elicitation":{}})");
    give(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"ask"}})");
    {
        std::unique_lock lock(outlet->mutex);
        outlet->changed.wait(
            lock, [&] { return has(to_text(outlet->messages.back()), "elicitation/create"); });
    }
    const auto answer = ask(R"({"jsonrpc":"2.0","id":1,"result":{"action":"decline"}})");
    BOOST_TEST(has(answer, "decline"));
}

BOOST_AUTO_TEST_CASE(does_not_ask_who_cannot_be_asked) {
    shake_hands();
    BOOST_TEST(has(old("tools/call", R"({"name":"ask"})"), R"("isError":true)"));
    const auto refused =
        ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","_meta":{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{}}}})");
    BOOST_TEST(has(refused, R"("code":-32021)"));
    BOOST_TEST(has(refused, R"("requiredCapabilities":{"elicitation":{}})"));
}

BOOST_AUTO_TEST_CASE(reports_progress_where_it_is_wanted) {
    (void)now("tools/call", R"("name":"ask")");
    BOOST_TEST(has(to_text(outlet->messages.front()), R"("progressToken":9)"));
}

BOOST_AUTO_TEST_CASE(takes_the_levels_of_the_specification_only) {
    BOOST_TEST(has(old("logging/setLevel", R"({"level":"notice"})"), R"("result":{})"));
    for (const char* odd : {R"({"level":"loud"})", R"({"level":3})", "{}"})
        BOOST_TEST(has(old("logging/setLevel", odd), R"("code":-32602)"), odd);
}

BOOST_AUTO_TEST_CASE(does_not_answer_what_was_cancelled) {
    give(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait"}})");
    give(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
    session->settle({});
    BOOST_TEST(outlet->messages.empty());
}

BOOST_AUTO_TEST_CASE(reads_resources_and_templates) {
    BOOST_TEST(has(old("resources/read", R"({"uri":"t://a"})"), R"("text":"A")"));
    BOOST_TEST(has(now("resources/read", R"("uri":"t://x/42/data")"), R"({\"id\":\"42\"})"));
    BOOST_TEST(has(old("resources/read", R"({"uri":"t://x/4/2/data"})"), R"("code":-32602)"));
    BOOST_TEST(has(old("resources/templates/list"), "uriTemplate"));
    BOOST_TEST(!has(old("resources/list"), "uriTemplate"));
}

BOOST_AUTO_TEST_CASE(gives_prompts_with_their_arguments) {
    BOOST_TEST(has(old("prompts/get", R"({"name":"p","arguments":{"a":"x"}})"), "messages"));
    BOOST_TEST(has(old("prompts/get", R"({"name":"p"})"), R"("code":-32602)"));
    BOOST_TEST(has(old("prompts/get", R"({"name":"q"})"), R"("code":-32602)"));
}

BOOST_AUTO_TEST_CASE(tells_of_changes_in_the_way_of_the_era) {
    shake_hands();
    session->announce_to(outlet);
    service.remove_tool("wait");
    BOOST_TEST(has(to_text(outlet->messages.back()), "notifications/tools/list_changed"));
    session->announce_to(nullptr);
    give(
        R"({"jsonrpc":"2.0","id":"s1","method":"subscriptions/listen","params":{"notifications":{"promptsListChanged":true},)" +
        std::string(modern) + "}}");
    BOOST_TEST(has(to_text(outlet->messages.back()), "subscriptions/acknowledged"));
    const auto before = outlet->messages.size();
    service.remove_tool("ask");
    BOOST_TEST(outlet->messages.size() == before);
    service.remove_prompt("p");
    BOOST_TEST(
        has(to_text(outlet->messages.back()), R"("io.modelcontextprotocol/subscriptionId":"s1")"));
}

BOOST_AUTO_TEST_CASE(serves_pipes_and_survives_what_is_no_message) {
    int in[2], out[2];
    BOOST_REQUIRE(::pipe(in) == 0 && ::pipe(out) == 0);
    const std::string said =
        "nonsense\n\n[1]\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    BOOST_REQUIRE(::write(in[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()));
    ::close(in[1]);
    serve_stdio(service, {.in = in[0], .out = out[1]});
    ::close(out[1]);
    char bytes[4096];
    const ssize_t got = ::read(out[0], bytes, sizeof bytes);
    const std::string heard(bytes, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    BOOST_TEST(has(heard, "-32700"));
    BOOST_TEST(has(heard, "-32600"));
    BOOST_TEST(has(heard, R"({"jsonrpc":"2.0","id":1,"result":{}})"));
    ::close(in[0]);
    ::close(out[0]);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(a_sealed_state)

BOOST_AUTO_TEST_CASE(is_taken_back_unchanged_for_the_same_purpose_and_for_a_day) {
    struct Later final : Clock {
        Time now() const override { return time; }
        std::chrono::steady_clock::time_point steady() const override { return {}; }
        Time time{Millis(1'000'000)};
    } clock;
    const Seal seal(std::string(32, 'k'), clock);
    const Json state{{"run", "r"}};
    const auto closed = seal.closed(state, "call");
    BOOST_TEST((seal.opened(closed, "call") == state));
    BOOST_TEST(!seal.opened(closed, "another call").has_value());
    BOOST_TEST(!Seal(std::string(32, 'x'), clock).opened(closed, "call").has_value());
    for (std::size_t n = 0; n < closed.size(); n += 7) {
        auto changed = closed;
        changed[n] = changed[n] == 'A' ? 'B' : 'A';
        BOOST_TEST(!seal.opened(changed, "call").has_value());
    }
    clock.time += Seal::lifetime;
    BOOST_TEST(seal.opened(closed, "call").has_value());
    clock.time += Millis(1);
    BOOST_TEST(!seal.opened(closed, "call").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
