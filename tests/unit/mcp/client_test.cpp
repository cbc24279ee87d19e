// The client against real child processes: what should work.
#include <csignal>
#include <future>

#include "base/log.hpp"
#include "peer_fixture.hpp"

using namespace foxwedge;
using namespace foxwedge::mcp;
using foxwedge::mcp::test::PeerFixture;

BOOST_FIXTURE_TEST_SUITE(a_client, PeerFixture)

BOOST_AUTO_TEST_CASE(starts_nothing_before_its_first_use) {
    ServerSpec spec;
    spec.name = "ghost";
    spec.command.program = "/no/such/server";
    const auto unused = client_of(spec);
    BOOST_TEST(log.count("server") == 0u);
}

BOOST_AUTO_TEST_CASE(lists_and_calls_in_both_eras) {
    for (const char* era : {"era=handshake", "era=modern"}) {
        const auto peer = client({era});
        const auto list = peer->discover(soon());
        BOOST_REQUIRE_MESSAGE(list.ok(), era);
        BOOST_TEST(list->tools.size() > 10u);
        BOOST_TEST((string_member(list->source, "protocolVersion") ==
                    (std::string_view(era) == "era=modern" ? "2026-07-28" : "2025-11-25")));
        BOOST_TEST(bool_member(list->source, "complete").value_or(false));
        BOOST_TEST(text(call(*peer, "echo", R"({"text":"hi"})")) == "hi");
    }
}

BOOST_AUTO_TEST_CASE(sends_the_idempotency_key_and_what_the_era_demands) {
    auto with_key = options();
    with_key.idempotency_key = "run/step";
    for (const bool modern : {false, true}) {
        const auto peer = client({modern ? "era=modern" : "era=handshake"});
        const auto params = parse_json(text(peer->call("params", "{\"a\":\n[1]}", with_key)));
        BOOST_REQUIRE(params.ok());
        BOOST_TEST(to_text(*member(*params, "arguments")) == R"({"a":[1]})");
        const Json* meta = member(*params, "_meta");
        BOOST_REQUIRE(meta);
        BOOST_TEST((string_member(*meta, "foxwedge/idempotencyKey") == "run/step"));
        BOOST_TEST((member(*meta, "io.modelcontextprotocol/protocolVersion") != nullptr) == modern);
    }
}

BOOST_AUTO_TEST_CASE(follows_pages) {
    const auto list = client({"list=pages"})->discover(soon());
    BOOST_REQUIRE(list.ok());
    BOOST_TEST(list->tools.size() == 3u);
}

// B09
BOOST_AUTO_TEST_CASE(is_not_led_in_circles_by_a_list) {
    for (const char* how : {"list=loop", "list=empty-cursor"}) {
        const auto list = client({how})->discover(soon());
        BOOST_REQUIRE(list.ok());
        BOOST_TEST(list->tools.size() == 2u);
        BOOST_TEST(!bool_member(list->source, "complete").value_or(true));
        BOOST_TEST((string_member(list->source, "incompleteReason") == "pagination_loop"));
    }
}

// B12
BOOST_AUTO_TEST_CASE(drops_one_bad_tool_and_keeps_its_neighbours) {
    const auto list = client({"list=schemas"})->discover(soon());
    BOOST_REQUIRE(list.ok());
    BOOST_TEST(list->tools.size() == 4u);
    BOOST_REQUIRE(list->dropped.size() == 2u);
    BOOST_TEST(list->dropped[0].name == "t2");
    BOOST_TEST(list->dropped[1].name == "remote"); // never fetched
    BOOST_TEST(log.count("a tool cannot be used server=peer tool=t2") == 1u);
}

BOOST_AUTO_TEST_CASE(passes_on_progress_which_extends_the_time) {
    auto with_progress = options();
    std::string seen;
    with_progress.on_progress = [&](const Json& params) {
        seen += to_text(*member(params, "progress"));
    };
    const auto peer = client();
    BOOST_TEST(text(peer->call("progress", "{}", with_progress)) == "done");
    BOOST_TEST(seen == "123");
}

BOOST_AUTO_TEST_CASE(answers_a_ping_at_once_even_while_it_is_idle) {
    const auto peer = client();
    const auto pong = text(call(*peer, "ping_first"));
    // B04: the server's own id comes back as it was, a string.
    BOOST_TEST(pong == R"({"jsonrpc":"2.0","id":"7","result":{}})");
}

BOOST_AUTO_TEST_CASE(tells_its_roots) {
    roots = {"file:///srv/a"};
    const auto peer = client();
    BOOST_TEST(text(call(*peer, "roots")) ==
               R"({"jsonrpc":"2.0","id":1002,"result":{"roots":[{"uri":"file:///srv/a"}]}})");
}

BOOST_AUTO_TEST_CASE(lets_the_caller_answer_what_the_server_asks) {
    struct Person final : ServerRequests {
        std::variant<Json, RpcError> answer(std::string_view method, const Json&,
                                            const Until&) override {
            return Json{{"action", "accept"}, {"content", {{"asked", method}}}};
        }
    } person;
    const auto peer = client();
    auto asking = options();
    asking.server_requests = &person;
    const auto answered = text(peer->call("ask", "{}", asking));
    BOOST_TEST(answered.find(R"("asked":"elicitation/create")") != answered.npos);
    const auto refused = text(call(*peer, "ask"));
    BOOST_TEST(refused.find("-32601") != refused.npos);
}

BOOST_AUTO_TEST_CASE(hands_out_a_request_for_input_and_takes_the_answers) {
    const auto peer = client({"era=modern"});
    const auto first = call(*peer, "input");
    BOOST_REQUIRE(!first.ok());
    BOOST_TEST(first.error().code == "input_required");
    const auto details = parse_json(first.error().details);
    BOOST_REQUIRE(details.ok());
    auto again = options();
    again.input_responses = Json{{"name", {{"action", "accept"}}}};
    again.request_state = std::string(*string_member(*details, "requestState"));
    const auto second = text(peer->call("input", "{}", again));
    BOOST_TEST(second.find(R"("requestState":"state-1")") != second.npos);
    BOOST_TEST(second.find(R"("inputResponses":{"name":{"action":"accept"}})") != second.npos);
}

BOOST_AUTO_TEST_CASE(serves_a_thousand_calls_at_once_without_loss) {
    const auto peer = client();
    std::vector<std::future<std::string>> calls;
    for (int i = 0; i < 1000; ++i)
        calls.push_back(std::async(std::launch::async, [&, i] {
            return text(call(*peer, "echo", R"({"text":")" + std::to_string(i) + "\"}"));
        }));
    for (int i = 0; i < 1000; ++i)
        BOOST_TEST(calls[static_cast<std::size_t>(i)].get() == std::to_string(i));
}

BOOST_AUTO_TEST_CASE(shares_one_child_among_its_callers) {
    const auto peer = client();
    std::vector<std::future<std::string>> calls;
    for (int i = 0; i < 8; ++i)
        calls.push_back(std::async(std::launch::async, [&] { return text(call(*peer, "pid")); }));
    const auto pid = text(call(*peer, "pid"));
    for (auto& each : calls) BOOST_TEST(each.get() == pid);
    BOOST_TEST(log.count("server ready") == 1u);
}

BOOST_AUTO_TEST_CASE(stops_an_idle_child_and_starts_another_at_the_next_call) {
    limits.idle_stop = Millis(30);
    const auto peer = client();
    const auto first = text(call(*peer, "pid"));
    while (::kill(std::stoi(first), 0) == 0) std::this_thread::yield();
    BOOST_TEST(text(call(*peer, "pid")) != first);
}

BOOST_AUTO_TEST_CASE(notes_that_the_tools_have_changed) {
    const auto peer = client();
    BOOST_TEST(text(call(*peer, "change")) == "changed");
    BOOST_TEST(log.count("the server's tools have changed") == 1u);
}

BOOST_AUTO_TEST_CASE(resolves_secrets_of_the_environment_when_it_starts_the_child) {
    auto spec = peer();
    spec.command.env = {{"TOKEN", "${secret:T}"}};
    spec.resolve = [](std::string_view text) -> Result<std::string> {
        if (text == "${secret:T}")
            return permanent("secret_missing", "the secret T is not defined");
        return std::string(text);
    };
    const auto result = call(*client_of(spec), "echo");
    BOOST_TEST(code(result) == "secret_missing");
}

BOOST_AUTO_TEST_SUITE_END()
