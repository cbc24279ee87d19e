// Our client against official servers, live over stdio.
#include <filesystem>
#include <fstream>

#include "../unit/mcp/peer_fixture.hpp"
#include "child_reading.hpp"
#include "eventually.hpp"
#include "http/server.hpp"
#include "node_peers.hpp"

using namespace foxwedge;
using namespace foxwedge::mcp;
using foxwedge::mcp::test::PeerFixture;
using foxwedge::test::eventually;
using foxwedge::test::node_peer;

namespace {

struct LiveFixture : PeerFixture {
    std::string log_level = "info";

    std::shared_ptr<Client> live(const foxwedge::test::NodePeer& peer,
                                 std::vector<std::string> args = {}) {
        ServerSpec spec;
        spec.name = "live";
        spec.log_level = log_level;
        args.insert(args.begin(), peer.script);
        spec.command = {.program = peer.node, .args = std::move(args)};
        return client_of(spec);
    }
    /// A client of a peer that serves HTTP and prints where.
    std::shared_ptr<Client> live_http(const foxwedge::test::NodePeer& peer,
                                      std::vector<std::string> args) {
        args.insert(args.begin(), peer.script);
        auto started = supervisor.start({.program = peer.node, .args = std::move(args)});
        BOOST_REQUIRE_MESSAGE(started.ok(), (started.ok() ? "" : started.error().message));
        servers.push_back(*started);
        ServerSpec spec;
        spec.name = "live";
        spec.log_level = log_level;
        spec.url = foxwedge::test::read_line(*servers.back());
        BOOST_REQUIRE_MESSAGE(spec.url.rfind("http://", 0) == 0, spec.url);
        spec.capabilities["elicitation"] = JsonObject();
        return Client::make(std::move(spec), {&supervisor, &log, nullptr, limits, http.get()});
    }
    std::vector<std::shared_ptr<process::Child>> servers;
    std::unique_ptr<http::Client> http = http::make_client({});
    static std::string version_of(Client& client) {
        const auto session = client.session(soon());
        BOOST_REQUIRE_MESSAGE(session.ok(), (session.ok() ? "" : session.error().message));
        return session->version;
    }
    static std::size_t tools_of(Client& client) {
        const auto list = client.discover(soon());
        BOOST_REQUIRE_MESSAGE(list.ok(), (list.ok() ? "" : list.error().message));
        BOOST_TEST(list->dropped.empty());
        return list->tools.size();
    }
};

/// What a person and a model say.
class Answers final : public ServerRequests {
public:
    std::variant<Json, RpcError> answer(std::string_view method, const Json&,
                                        const Until&) override {
        if (method == "elicitation/create")
            return Json{{"action", "accept"}, {"content", {{"name", "Rey"}}}};
        return Json{{"role", "assistant"},
                    {"model", "m"},
                    {"content", {{"type", "text"}, {"text", "sampled here"}}}};
    }
};

/// That nobody listens on a moment ago.
std::uint16_t free_port() {
    const auto there = http::make_server("127.0.0.1", 0, [](auto, auto) {});
    BOOST_REQUIRE(there.ok());
    return (*there)->port();
}

std::string official(const std::string& name) {
    return "node_modules/@modelcontextprotocol/" + name + "/dist/index.js";
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_live_server, LiveFixture)

BOOST_AUTO_TEST_CASE(of_the_first_sdk_is_served_by_handshake) {
    const auto peer = node_peer("server-v1.mjs");
    if (!peer) return;
    const auto client = live(*peer);
    BOOST_TEST(version_of(*client) == "2025-11-25");
    BOOST_TEST(tools_of(*client) == 5u);
    BOOST_TEST(text(call(*client, "add", R"({"a":2,"b":40})")) == "42");
    BOOST_TEST(code(call(*client, "fail")) == "tool_error");
    // The first SDK refuses arguments and unknown tools inside a result.
    for (const char* tool : {"add", "nope"}) {
        const auto refused = call(*client, tool, R"({"a":"x"})");
        BOOST_REQUIRE(refused.ok());
        BOOST_TEST((string_member(refused->details, "code") == "invalid_params"));
    }
    auto watched = options();
    int steps = 0;
    watched.on_progress = [&](const Json&) { ++steps; };
    BOOST_TEST(text(client->call("slow", R"({"steps":3})", watched)) == "done");
    BOOST_TEST(steps == 3);
}

BOOST_AUTO_TEST_CASE(of_the_second_sdk_is_served_at_2026_07_28) {
    const auto peer = node_peer("server-v2.mjs");
    if (!peer) return;
    for (const char* legacy : {"serve", "reject"}) {
        const auto client = live(*peer, {legacy});
        BOOST_TEST(version_of(*client) == "2026-07-28");
        BOOST_TEST(tools_of(*client) == 5u);
        const auto sum = call(*client, "add", R"({"a":2,"b":40})");
        BOOST_TEST(text(sum) == "42");
        BOOST_TEST((sum->structured && to_text(*sum->structured) == R"({"sum":42})"));
        BOOST_TEST(code(call(*client, "fail")) == "tool_error");
        const auto unknown = call(*client, "nope");
        BOOST_REQUIRE(unknown.ok());
        BOOST_TEST((string_member(unknown->details, "code") == "invalid_params"));
    }
}

BOOST_AUTO_TEST_CASE(that_needs_input_gets_it_in_a_second_call) {
    const auto peer = node_peer("server-v2.mjs");
    if (!peer) return;
    ServerSpec spec;
    spec.name = "live";
    spec.command = {.program = peer->node, .args = {peer->script}};
    spec.capabilities["elicitation"] = JsonObject();
    const auto client = client_of(spec);
    const auto first = call(*client, "ask");
    BOOST_TEST(code(first) == "input_required");
    auto again = options();
    again.input_responses = Json{{"name", {{"action", "accept"}, {"content", {{"name", "Fox"}}}}}};
    again.request_state = "waiting";
    BOOST_TEST(text(client->call("ask", "{}", again)) == "hello Fox");
}

BOOST_AUTO_TEST_CASE(of_the_first_sdk_is_served_over_http) {
    const auto peer = node_peer("server-v1.mjs");
    if (!peer) return;
    const auto client = live_http(*peer, {"http"});
    BOOST_TEST(version_of(*client) == "2025-11-25");
    BOOST_TEST(tools_of(*client) == 5u);
    BOOST_TEST(text(call(*client, "add", R"({"a":2,"b":40})")) == "42");
    BOOST_TEST(code(call(*client, "fail")) == "tool_error");
    auto watched = options();
    int steps = 0;
    watched.on_progress = [&](const Json&) { ++steps; };
    BOOST_TEST(text(client->call("slow", R"({"steps":3})", watched)) == "done");
    BOOST_TEST(steps == 3);
}

BOOST_AUTO_TEST_CASE(of_the_second_sdk_is_served_over_http) {
    const auto peer = node_peer("server-v2.mjs");
    if (!peer) return;
    for (const char* legacy : {"serve", "reject"}) {
        const auto client = live_http(*peer, {legacy, "http"});
        BOOST_TEST(version_of(*client) == "2026-07-28");
        BOOST_TEST(tools_of(*client) == 5u);
        BOOST_TEST(text(call(*client, "add", R"({"a":2,"b":40})")) == "42");
        BOOST_TEST(code(call(*client, "fail")) == "tool_error");
        BOOST_TEST(code(call(*client, "ask")) == "input_required");
        auto again = options();
        again.input_responses =
            Json{{"name", {{"action", "accept"}, {"content", {{"name", "Fox"}}}}}};
        again.request_state = "waiting";
        BOOST_TEST(text(client->call("ask", "{}", again)) == "hello Fox");
    }
}

BOOST_AUTO_TEST_CASE(of_either_sdk_logs_into_our_log_from_the_level_on_that_it_is_asked_for) {
    const auto first = node_peer("server-v1.mjs"), second = node_peer("server-v2.mjs");
    if (!first || !second) return;
    for (const char* level : {"info", "warning"}) {
        log_level = level;
        const std::pair<const char*, std::shared_ptr<Client>> peers[] = {
            {"v1 stdio", live(*first)},
            {"v1 http", live_http(*first, {"http"})},
            {"v2 stdio", live(*second, {"serve"})},
            {"v2 stdio, 2026 only", live(*second, {"reject"})},
            {"v2 http", live_http(*second, {"serve", "http"})}};
        for (const auto& [which, client] : peers) {
            const auto said = [&](const char* at) {
                return log.count("server log server=live level=" + std::string(at) +
                                 " text=said at " + at);
            };
            const auto info = said("info"), warning = said("warning");
            // Until the stream beside the calls stands a message over it may go unheard.
            BOOST_TEST(eventually([&] {
                           return text(call(*client, "log")) == "logged" &&
                                  said("warning") > warning;
                       }),
                       which << " at " << level);
            BOOST_TEST((said("info") > info) == (log_level == "info"), which << " at " << level);
        }
    }
}

BOOST_AUTO_TEST_CASE(of_either_sdk_is_heard_when_its_tools_change) {
    const auto first = node_peer("server-v1.mjs"), second = node_peer("server-v2.mjs");
    if (!first || !second) return;
    const std::pair<const char*, std::shared_ptr<Client>> peers[] = {
        {"v1 stdio", live(*first)},
        {"v1 http", live_http(*first, {"http"})},
        {"v2 stdio", live(*second, {"reject"})},
        {"v2 http", live_http(*second, {"reject", "http"})}};
    for (const auto& [which, client] : peers) {
        const auto heard = [&] { return log.count("the server's tools have changed"); };
        const auto before = heard();
        // Until the subscription stands a change may go unheard.
        BOOST_TEST(eventually([&] {
                       return text(call(*client, "change")) == "changed" && heard() > before;
                   }),
                   which);
    }
}

BOOST_AUTO_TEST_CASE(everything_is_listed_and_called_and_asks_in_its_turn) {
    const auto peer = node_peer(official("server-everything"));
    if (!peer) return;
    limits.starts = 1'000'000; // it is asked until it listens
    for (const bool over_http : {false, true}) {
        ServerSpec spec;
        spec.name = "live";
        spec.capabilities = JsonObject{{"elicitation", JsonObject()}, {"sampling", JsonObject()}};
        spec.command = {.program = peer->node, .args = {peer->script, "stdio"}};
        if (over_http) {
            const auto port = free_port();
            auto started = supervisor.start({.program = peer->node,
                                             .args = {peer->script, "streamableHttp"},
                                             .env = {{"PORT", std::to_string(port)}}});
            BOOST_REQUIRE(started.ok());
            servers.push_back(*started);
            spec.url = "http://127.0.0.1:" + std::to_string(port) + "/mcp";
        }
        const auto client =
            Client::make(std::move(spec), {&supervisor, &log, nullptr, limits, http.get()});
        BOOST_REQUIRE(eventually([&] { return client->session(soon()).ok(); }));
        BOOST_TEST(tools_of(*client) >= 10u);
        BOOST_TEST(text(call(*client, "echo", R"({"message":"hi"})")).find("hi") !=
                   std::string::npos);
        BOOST_TEST(text(call(*client, "get-sum", R"({"a":2,"b":40})")).find("42") !=
                   std::string::npos);
        Answers answers;
        auto answering = options();
        answering.server_requests = &answers;
        for (const auto& [tool, arguments, wanted] :
             {std::tuple("trigger-sampling-request", R"({"prompt":"hi"})", "sampled here"),
              std::tuple("trigger-elicitation-request", "{}", "Rey")}) {
            const auto result = client->call(tool, arguments, answering);
            BOOST_REQUIRE_MESSAGE(result.ok(), tool);
            BOOST_TEST(to_text(Json(result->content)).find(wanted) != std::string::npos,
                       tool << " " << to_text(Json(result->content)));
        }
        client->stop();
    }
}

BOOST_AUTO_TEST_CASE(filesystem_reads_what_it_may) {
    const auto peer = node_peer(official("server-filesystem"));
    if (!peer) return;
    const auto folder =
        std::filesystem::temp_directory_path() / ("foxwedge-live-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "note.txt") << "a wedge";
    const auto client = live(*peer, {folder.string()});
    BOOST_TEST(tools_of(*client) >= 10u);
    const auto path = foxwedge::quoted((folder / "note.txt").string());
    BOOST_TEST(text(call(*client, "read_text_file", R"({"path":)" + path + "}")) == "a wedge");
    BOOST_TEST(code(call(*client, "read_text_file", R"({"path":"/etc/passwd"})")) == "tool_error");
    // It takes the folders that its client shows as well.
    ServerSpec spec;
    spec.name = "live";
    spec.command = {.program = peer->node, .args = {peer->script}};
    spec.roots = {"file://" + folder.string()};
    const auto shown = client_of(spec);
    BOOST_TEST(eventually(
        [&] { return call(*shown, "read_text_file", R"({"path":)" + path + "}").ok(); }));
    std::filesystem::remove_all(folder);
}

BOOST_AUTO_TEST_CASE(memory_remembers) {
    const auto peer = node_peer(official("server-memory"));
    if (!peer) return;
    const auto file = std::filesystem::temp_directory_path() /
                      ("foxwedge-memory-" + std::to_string(::getpid()) + ".jsonl");
    ServerSpec spec;
    spec.name = "memory";
    spec.command = {.program = peer->node,
                    .args = {peer->script},
                    .env = {{"MEMORY_FILE_PATH", file.string()}}};
    const auto client = client_of(spec);
    BOOST_TEST(tools_of(*client) == 9u);
    const char* const entity =
        R"({"entities":[{"name":"fox","entityType":"animal","observations":["red"]}]})";
    BOOST_TEST(code(call(*client, "create_entities", entity)) == "ok");
    BOOST_TEST(text(call(*client, "read_graph")).find("red") != std::string::npos);
    std::filesystem::remove(file);
}

BOOST_AUTO_TEST_CASE(sequential_thinking_counts) {
    const auto peer = node_peer(official("server-sequential-thinking"));
    if (!peer) return;
    const auto client = live(*peer);
    BOOST_TEST(tools_of(*client) == 1u);
    BOOST_TEST(
        code(call(
            *client, "sequentialthinking",
            R"({"thought":"x","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1})")) ==
        "ok");
}

BOOST_AUTO_TEST_SUITE_END()
