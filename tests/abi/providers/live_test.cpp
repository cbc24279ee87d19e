// The same recordings over a real connection: a local server, the framework's client, the plugin.
#include <boost/test/unit_test.hpp>

#include <mutex>
#include <random>

#include "bridge.hpp"
#include "http/server.hpp"
#include "recordings.hpp"

using namespace provider_test;
namespace http = foxwedge::http;

namespace {

enum class Way { whole, pieces, cut };

/// Answers every request with one recording.
class Player {
public:
    Player() {
        auto made = http::make_server(
            "127.0.0.1", 0,
            [this](http::ServerRequest request, std::shared_ptr<http::Responder> to) {
                answer(std::move(request), *to);
            });
        BOOST_REQUIRE(made.ok());
        server = std::move(*made);
    }
    void play(const Recording& recording, Way way) {
        std::lock_guard lock(mutex_);
        recording_ = recording;
        way_ = way;
    }
    http::ServerRequest last() {
        std::lock_guard lock(mutex_);
        return last_;
    }
    std::unique_ptr<http::Server> server;

private:
    void answer(http::ServerRequest request, http::Responder& to) {
        std::lock_guard lock(mutex_);
        last_ = std::move(request);
        http::Headers headers;
        for (const auto& [name, value] : recording_.exchange["response"]["headers"].object())
            if (value.is_string()) headers.add(name, value.string());
        headers.set("content-type", std::string(recording_.content_type()));
        const std::string body(recording_.body());
        if (way_ == Way::whole) {
            (void)to.respond(recording_.status(), headers, body);
            return;
        }
        (void)to.start(recording_.status(), headers);
        const auto end = way_ == Way::cut ? body.size() / 2 : body.size();
        for (std::size_t at = 0; at < end;) {
            const auto size =
                std::min(end - at, std::uniform_int_distribution<std::size_t>(1, 400)(chance_));
            (void)to.write(std::string_view(body).substr(at, size));
            at += size;
        }
        if (way_ == Way::cut)
            to.abort();
        else
            to.finish();
    }

    std::mutex mutex_;
    Recording recording_;
    Way way_ = Way::whole;
    http::ServerRequest last_;
    std::mt19937 chance_{7};
};

struct Vendor {
    const char *plugin, *component, *path, *key_header, *key;
    std::vector<std::string> prefixes;
    Value config;
};

void replay(const Vendor& vendor, Way way) {
    Player player;
    Bridge bridge(player.server->origin(), {{"KEY", "sk-test-AAAA1111BBBB"}});
    Value config = vendor.config;
    config.set("baseUrl", player.server->origin());
    config.set("apiKey", object({{"secret", "KEY"}}));
    Rig rig(vendor.plugin, vendor.component, config);
    bridge.attach(rig);
    for (const auto& recording : recordings(vendor.prefixes)) {
        player.play(recording, way);
        const auto outcome = rig.ask();
        if (way != Way::cut) {
            check_as_expected(recording, outcome);
        } else if (recording.status() == 200) {
            BOOST_TEST((outcome.status == FOXWEDGE_E_UNKNOWN || outcome.code == "invalid_request"),
                       recording.name);
        }
        const auto asked = player.last();
        BOOST_TEST(asked.path() == vendor.path);
        BOOST_TEST(std::string(asked.headers.first(vendor.key_header).value_or("")) == vendor.key);
        // B71: the key is in the request alone.
        for (const auto& request : rig.host.requests)
            BOOST_TEST(to_text(request).find("sk-test") == std::string::npos);
    }
}

const Vendor anthropic{
    "provider-anthropic",    "anthropic", "/v1/messages", "x-api-key", "sk-test-AAAA1111BBBB",
    {"anthropic-messages-"}, object()};
const Vendor chat{"provider-openai",
                  "openai",
                  "/chat/completions",
                  "authorization",
                  "Bearer sk-test-AAAA1111BBBB",
                  {"azure-openai-chat", "cerebras-chat", "crusoe-chat", "deepseek-chat",
                   "groq-chat", "huggingface-chat", "mistral-chat", "ollama-chat", "openai-chat",
                   "openrouter-chat", "zai-chat"},
                  object()};

const Vendor responses{"provider-openai",
                       "openai",
                       "/responses",
                       "authorization",
                       "Bearer sk-test-AAAA1111BBBB",
                       {"deepseek-responses", "openai-responses", "openrouter-responses"},
                       object({{"api", "responses"}})};
const Vendor gemini{"provider-gemini",
                    "gemini",
                    "/models/m:streamGenerateContent",
                    "x-goog-api-key",
                    "sk-test-AAAA1111BBBB",
                    {"gemini-"},
                    object()};

} // namespace

BOOST_AUTO_TEST_SUITE(recordings_over_a_connection)

BOOST_AUTO_TEST_CASE(they_decode_as_expected_when_sent_whole) {
    replay(anthropic, Way::whole);
    for (const auto& vendor : {chat, responses, gemini}) replay(vendor, Way::whole);
}

BOOST_AUTO_TEST_CASE(they_decode_as_expected_when_sent_in_pieces) {
    replay(anthropic, Way::pieces);
    for (const auto& vendor : {chat, responses, gemini}) replay(vendor, Way::pieces);
}

// B34: half an answer is never an answer.
BOOST_AUTO_TEST_CASE(cut_in_the_middle_they_are_a_lost_connection) {
    replay(anthropic, Way::cut);
    for (const auto& vendor : {chat, responses, gemini}) replay(vendor, Way::cut);
}

BOOST_AUTO_TEST_CASE(no_server_means_nothing_was_done) {
    Rig rig("provider-openai", "openai", object({{"baseUrl", "http://127.0.0.1:1"}}));
    Bridge bridge("http://127.0.0.1:1");
    bridge.attach(rig);
    const auto outcome = rig.ask();
    BOOST_TEST(outcome.status == FOXWEDGE_E_TRANSIENT);
}

BOOST_AUTO_TEST_CASE(an_address_that_was_not_configured_is_out_of_reach) {
    Player player;
    Rig rig("provider-openai", "openai", object({{"baseUrl", player.server->origin()}}));
    Bridge bridge("http://127.0.0.1:1");
    bridge.attach(rig);
    BOOST_TEST(rig.ask().status == FOXWEDGE_E_INVALID);
    BOOST_TEST(player.last().target.empty());
}

BOOST_AUTO_TEST_SUITE_END()
