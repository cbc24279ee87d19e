// Every recorded exchange decodes to what the vendor's own SDK read in it, however it is cut.
#include <boost/test/unit_test.hpp>

#include <random>

#include "recordings.hpp"
#include "shared_data.hpp"

using namespace provider_test;

namespace {

struct Vendor {
    const char* plugin;
    const char* component;
    std::vector<std::string> prefixes;
    Value config = object();
};

const Vendor anthropic{"provider-anthropic", "anthropic", {"anthropic-messages-"}};

const Vendor chat{"provider-openai",
                  "openai",
                  {"azure-openai-chat", "cerebras-chat", "crusoe-chat", "deepseek-chat",
                   "groq-chat", "huggingface-chat", "mistral-chat", "ollama-chat", "openai-chat",
                   "openrouter-chat", "zai-chat"}};

const Vendor responses{"provider-openai",
                       "openai",
                       {"deepseek-responses", "openai-responses", "openrouter-responses"},
                       object({{"api", "responses"}})};

const Vendor gemini{"provider-gemini", "gemini", {"gemini-"}};

void replay(const Vendor& vendor, const std::function<void(Rig&, const Recording&)>& set_answer) {
    for (const auto& recording : recordings(vendor.prefixes)) {
        Rig rig(vendor.plugin, vendor.component, vendor.config);
        set_answer(rig, recording);
        check_as_expected(recording, rig.ask());
    }
}

/// Whole, byte by byte, and twenty random cuts with a fixed seed.
void replay_all_ways(const Vendor& vendor) {
    replay(vendor, [](Rig& rig, const Recording& r) { play(rig, r); });
    replay(vendor, [](Rig& rig, const Recording& r) { play(rig, r, 1); });
    std::mt19937 chance(20260127);
    for (int round = 0; round < 20; ++round)
        replay(vendor, [&](Rig& rig, const Recording& r) {
            play(rig, r);
            std::vector<std::string> pieces;
            for (std::size_t at = 0; at < r.body().size();) {
                const auto size = std::uniform_int_distribution<std::size_t>(1, 200)(chance);
                pieces.emplace_back(r.body().substr(at, size));
                at += size;
            }
            rig.host.response_pieces = std::move(pieces);
        });
}

} // namespace

BOOST_AUTO_TEST_SUITE(replay_of_recordings)

BOOST_AUTO_TEST_CASE(anthropic_messages_decode_as_expected) {
    replay_all_ways(anthropic);
}

BOOST_AUTO_TEST_CASE(chat_completions_decode_as_expected) {
    replay_all_ways(chat);
}

BOOST_AUTO_TEST_CASE(responses_decode_as_expected) {
    replay_all_ways(responses);
}

BOOST_AUTO_TEST_CASE(gemini_decodes_as_expected) {
    replay_all_ways(gemini);
}

BOOST_AUTO_TEST_CASE(the_recorded_count_of_tokens_is_read) {
    for (const auto& recording : recordings({"anthropic-count_tokens"})) {
        Rig rig(anthropic.plugin, anthropic.component);
        play(rig, recording);
        const auto counted = rig.instance->count_tokens(Rig::question());
        BOOST_REQUIRE(counted.status == FOXWEDGE_OK);
        const auto theirs = Value::parse(recording.body());
        BOOST_TEST(counted.result.integer("tokens", 0) == theirs.integer("input_tokens", -1));
    }
}

BOOST_AUTO_TEST_CASE(no_recording_is_left_out) {
    const auto folder = foxwedge::test::shared_data("wire");
    if (!folder) return;
    std::size_t played = recordings({"anthropic-count_tokens"}).size();
    for (const Vendor* vendor : {&anthropic, &chat, &responses, &gemini})
        played += recordings(vendor->prefixes).size();
    std::size_t recorded = 0;
    for (const auto& entry : std::filesystem::directory_iterator(*folder))
        recorded += entry.path().extension() == ".json" && entry.path().stem() != "INDEX";
    BOOST_TEST(played == recorded);
}

BOOST_AUTO_TEST_SUITE_END()
