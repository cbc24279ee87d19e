// A live counterpart from npm that speaks every vendor's format: tool loop, refusals, cut streams.
#include <boost/test/unit_test.hpp>

#include <fstream>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bridge.hpp"
#include "node_peers.hpp"

using namespace provider_test;

namespace {

constexpr const char* fixtures = R"({"fixtures":[
 {"match":{"userMessage":"hello"},"response":{"content":"Hi, 你好 🌍"}},
 {"match":{"userMessage":"refund","hasToolResult":false},"response":{"toolCalls":[{"id":"call_1","name":"refund","arguments":{"amount":1500.5}},{"id":"call_2","name":"lookup","arguments":{"id":7}}]}},
 {"match":{"userMessage":"refund","hasToolResult":true},"response":{"content":"Done.","usage":{"prompt_tokens":11,"completion_tokens":3}}},
 {"match":{"userMessage":"think"},"response":{"reasoning":"Let me think.","content":"42"}},
 {"match":{"userMessage":"rate limit me"},"response":{"error":{"message":"Rate limited","type":"rate_limit_error"},"status":429}},
 {"match":{"userMessage":"overload me"},"response":{"error":{"message":"Overloaded","type":"overloaded_error"},"status":529}},
 {"match":{"userMessage":"flaky","sequenceIndex":0},"response":{"error":{"message":"boom","type":"server_error"},"status":500}},
 {"match":{"userMessage":"flaky","sequenceIndex":1},"response":{"content":"second try"}},
 {"match":{"userMessage":"cut me off"},"response":{"content":"a long text that is sent in many pieces"},"truncateAfterChunks":2,"latency":5,"chunkSize":4},
 {"match":{"userMessage":"length"},"response":{"content":"cut","finishReason":"length"}}]})";

class Aimock {
public:
    explicit Aimock(const foxwedge::test::NodePeer& peer) {
        char folder[] = "/tmp/foxwedge-aimock-XXXXXX";
        BOOST_REQUIRE(mkdtemp(folder));
        folder_ = folder;
        std::ofstream(folder_ / "fixtures.json") << fixtures;
        std::ofstream(folder_ / "aimock.json")
            << R"({"port":0,"host":"127.0.0.1","strict":true,"llm":{"fixtures":")"
            << (folder_ / "fixtures.json").string() << "\"}}";
        start(peer);
    }
    ~Aimock() {
        if (pid_ > 0) {
            kill(pid_, SIGKILL);
            waitpid(pid_, nullptr, 0);
        }
        if (out_ >= 0) close(out_);
        std::filesystem::remove_all(folder_);
    }
    std::string origin;

private:
    void start(const foxwedge::test::NodePeer& peer) {
        int ends[2];
        BOOST_REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
        out_ = ends[0];
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
        const std::string config = (folder_ / "aimock.json").string();
        const char* arguments[] = {peer.node.c_str(), peer.script.c_str(), "--config",
                                   config.c_str(), nullptr};
        const int failed = posix_spawn(&pid_, peer.node.c_str(), &actions, nullptr,
                                       const_cast<char**>(arguments), environ);
        posix_spawn_file_actions_destroy(&actions);
        close(ends[1]);
        BOOST_REQUIRE(failed == 0);
        std::string said;
        for (char c; read(out_, &c, 1) == 1 && c != '\n';) said += c;
        const auto at = said.find("http://");
        BOOST_REQUIRE_MESSAGE(at != std::string::npos, "aimock did not start: " << said);
        origin = said.substr(at);
    }
    std::filesystem::path folder_;
    pid_t pid_ = -1;
    int out_ = -1;
};

struct Vendor {
    const char *plugin, *component, *path;
    Value config;
};

Value message(std::string_view role, Value content) {
    return object({{"role", role}, {"content", std::move(content)}});
}
Value text(std::string_view words) {
    return object({{"type", "text"}, {"text", words}});
}

/// The program against one vendor's adapter.
void talk(const foxwedge::test::NodePeer& peer, const Vendor& vendor, bool stream) {
    BOOST_TEST_INFO_SCOPE(vendor.path << (stream ? ", streamed" : ", whole") << " "
                                      << to_text(vendor.config));
    Aimock mock(peer);
    Bridge bridge(mock.origin);
    Value config = vendor.config;
    config.set("baseUrl", mock.origin + vendor.path);
    config.set("stream", stream);
    Rig rig(vendor.plugin, vendor.component, config);
    bridge.attach(rig);
    const auto ask = [&](std::string_view words) {
        auto request = Rig::question("a-model");
        request.set("messages", array({message("user", array({text(words)}))}));
        return rig.generate(request);
    };

    const auto hello = ask("hello");
    BOOST_TEST(hello.status == FOXWEDGE_OK, hello.message);
    BOOST_TEST(text_of(hello.result) == "Hi, 你好 🌍");
    BOOST_TEST(hello.result.string("stop") == "end");

    // The tool loop: two calls, their results, the answer.
    auto request = Rig::question("a-model");
    Value messages = array({message("user", array({text("refund please")}))});
    request.set("messages", messages);
    request.set("tools",
                Value::parse(R"([{"name":"refund","description":"","inputSchema":{"type":"object"}},
                                          {"name":"lookup","description":"","inputSchema":{"type":"object"}}])"));
    const auto first = rig.generate(request);
    BOOST_REQUIRE_MESSAGE(first.status == FOXWEDGE_OK, first.message);
    BOOST_TEST(first.result.string("stop") == "tool_use");
    const auto calls = calls_of(first.result);
    BOOST_REQUIRE(calls.array().size() == 2U);
    BOOST_TEST(calls.array()[0]["arguments"].number("amount", 0) == 1500.5);
    BOOST_TEST(calls.array()[1]["arguments"].integer("id", 0) == 7);
    messages.push(message("assistant", first.result["content"]));
    Value results = array();
    for (const auto& call : calls.array())
        results.push(object({{"type", "tool_result"},
                             {"callId", call.string("id")},
                             {"name", call.string("name")},
                             {"content", array({text("ok")})}}));
    messages.push(message("tool", results));
    request.set("messages", messages);
    const auto second = rig.generate(request);
    BOOST_REQUIRE_MESSAGE(second.status == FOXWEDGE_OK, second.message);
    BOOST_TEST(text_of(second.result) == "Done.");

    BOOST_TEST(text_of(ask("think").result) == "42");
    BOOST_TEST(ask("length").result.string("stop") == "length");

    const auto limited = ask("rate limit me");
    BOOST_TEST(limited.code == "rate_limited");
    BOOST_TEST(limited.status == FOXWEDGE_E_TRANSIENT);
    BOOST_TEST(limited.details.integer("retryAfterMs", 0) == 1000);
    const auto overloaded = ask("overload me");
    BOOST_TEST(overloaded.code == "overloaded");
    BOOST_TEST(overloaded.status == FOXWEDGE_E_TRANSIENT);
    const auto flaky = ask("flaky");
    BOOST_TEST(flaky.code == "server_error");
    BOOST_TEST(flaky.status == FOXWEDGE_E_UNKNOWN);
    BOOST_TEST(text_of(ask("flaky").result) == "second try");

    if (!stream) return;
    const auto cut = ask("cut me off");
    BOOST_TEST(cut.status == FOXWEDGE_E_UNKNOWN);
}

void talk_both_ways(const Vendor& vendor) {
    const auto peer =
        foxwedge::test::node_peer("node_modules/@copilotkit/aimock/dist/aimock-cli.js");
    if (!peer) return;
    talk(*peer, vendor, true);
    talk(*peer, vendor, false);
}

} // namespace

BOOST_AUTO_TEST_SUITE(aimock)

BOOST_AUTO_TEST_CASE(anthropic_talks_to_it) {
    talk_both_ways({"provider-anthropic", "anthropic", "", object()});
}
BOOST_AUTO_TEST_CASE(chat_completions_talk_to_it) {
    talk_both_ways({"provider-openai", "openai", "/v1", object()});
}
BOOST_AUTO_TEST_CASE(responses_talk_to_it) {
    talk_both_ways({"provider-openai", "openai", "/v1", object({{"api", "responses"}})});
}
BOOST_AUTO_TEST_CASE(gemini_talks_to_it) {
    talk_both_ways({"provider-gemini", "gemini", "/v1beta", object()});
}

BOOST_AUTO_TEST_SUITE_END()
