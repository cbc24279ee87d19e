// What every provider does, whoever wrote it and in whatever language: the shipped ones in each of
// their wire formats, the sample of forty lines of C++ and the one in Rust.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>

#include "rig.hpp"

using namespace provider_test;

namespace {

/// One provider and what its vendor sends for "Hello" when all is well.
struct Subject {
    const char* name;
    const char* plugin;
    const char* component;
    Value config;
    std::string stream; ///< events, whole
    const char* secret;
};

const char* const anthropic_stream =
    "event: message_start\n"
    "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"m-1\",\"content\":[],"
    "\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n"
    "event: content_block_start\n"
    "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\","
    "\"text\":\"\"}}\n\n"
    "event: content_block_delta\n"
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
    "\"text\":\"Hel\"}}\n\n"
    "event: content_block_delta\n"
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
    "\"text\":\"lo\"}}\n\n"
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
    "event: message_delta\n"
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},"
    "\"usage\":{\"output_tokens\":2}}\n\n"
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

const char* const chat_stream =
    "data: {\"id\":\"c\",\"model\":\"m-1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":"
    "\"assistant\",\"content\":\"Hel\"}}]}\n\n"
    "data: "
    "{\"id\":\"c\",\"model\":\"m-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"},"
    "\"finish_reason\":\"stop\"}]}\n\n"
    "data: {\"id\":\"c\",\"model\":\"m-1\",\"choices\":[],\"usage\":{\"prompt_tokens\":3,"
    "\"completion_tokens\":2}}\n\n"
    "data: [DONE]\n\n";

const char* const responses_stream =
    "event: response.output_text.delta\n"
    "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"i\",\"output_index\":0,"
    "\"content_index\":0,\"delta\":\"Hel\"}\n\n"
    "event: response.output_text.delta\n"
    "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"i\",\"output_index\":0,"
    "\"content_index\":0,\"delta\":\"lo\"}\n\n"
    "event: response.completed\n"
    "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"model\":\"m-1\","
    "\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"id\":\"i\",\"role\":"
    "\"assistant\","
    "\"status\":\"completed\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hello\","
    "\"annotations\":[]}]}],\"usage\":{\"input_tokens\":3,\"output_tokens\":2}}}\n\n";

const char* const gemini_stream =
    "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Hel\"}]}}],"
    "\"modelVersion\":\"m-1\"}\r\n\r\n"
    "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"lo\"}]},"
    "\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":3,"
    "\"candidatesTokenCount\":2},\"modelVersion\":\"m-1\"}\r\n\r\n";

const char* const brook_stream =
    ": good morning\n\n"
    "data: {\"text\":\"Hel\"}\n\n"
    "data: {\"text\":\"lo\"}\n\n"
    "data: {\"done\":true,\"model\":\"m-1\",\"usage\":{\"input\":3,\"output\":2}}\n\n";

std::vector<Subject> subjects() {
    std::vector<Subject> all{
        {"anthropic", "provider-anthropic", "anthropic", object(), anthropic_stream,
         "ANTHROPIC_API_KEY"},
        {"openai chat", "provider-openai", "openai", object(), chat_stream, "OPENAI_API_KEY"},
        {"openai responses", "provider-openai", "openai", object({{"api", "responses"}}),
         responses_stream, "OPENAI_API_KEY"},
        {"gemini", "provider-gemini", "gemini", object(), gemini_stream, "GEMINI_API_KEY"},
        {"forty lines of C++", "provider-brook", "brook", object(), brook_stream, "BROOK_KEY"},
    };
    if (std::filesystem::exists(library("provider-brook-rs"))) // there is no rustc everywhere
        all.push_back(
            {"Rust", "provider-brook-rs", "brook-rs", object(), brook_stream, "BROOK_KEY"});
    return all;
}

template <class Test>
void for_each_provider(Test&& test) {
    for (const Subject& subject : subjects()) {
        BOOST_TEST_CONTEXT(subject.name) {
            Rig rig(subject.plugin, subject.component, subject.config);
            rig.answer_stream(subject.stream);
            test(rig, subject);
        }
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(every_provider)

BOOST_AUTO_TEST_CASE(says_what_it_can_do) {
    for_each_provider([](Rig& rig, const Subject&) {
        const auto said = rig.instance->describe();
        BOOST_REQUIRE(said.status == FOXWEDGE_OK);
        for (const char* flag :
             {"nativeTranscript", "tools", "streaming", "parallelCalls", "reasoningReplay"})
            BOOST_TEST(said.result[flag].is_bool(), flag);
        const auto shape = said.result.string("structuredOutput");
        BOOST_TEST((shape == "none" || shape == "final" || shape == "always"));
    });
}

BOOST_AUTO_TEST_CASE(gives_the_whole_answer_and_previews_the_same_text) {
    for_each_provider([](Rig& rig, const Subject& subject) {
        for (const std::size_t piece : {0u, 1u, 7u}) {
            rig.answer_stream(subject.stream, piece);
            const auto told = rig.ask();
            BOOST_REQUIRE_MESSAGE(told.status == FOXWEDGE_OK, told.code << ": " << told.message);
            BOOST_TEST(text_of(told.result) == "Hello");
            BOOST_TEST(Rig::preview(told) == "Hello");
            BOOST_TEST(told.result.string("stop") == "end");
            BOOST_TEST(told.result.string("model") == "m-1");
            BOOST_TEST(told.result["usage"].integer("input", 0) == 3);
            BOOST_TEST(told.result["usage"].integer("output", 0) == 2);
        }
    });
}

BOOST_AUTO_TEST_CASE(names_its_key_and_never_sees_it) {
    for_each_provider([](Rig& rig, const Subject& subject) {
        rig.ask();
        int named = 0;
        for (const auto& [name, value] : rig.host.requests.back()["headers"].object())
            if (value.is_object() && value.string("secret") == subject.secret) ++named;
        BOOST_TEST(named == 1);
    });
}

BOOST_AUTO_TEST_CASE(asks_the_same_question_in_the_same_bytes) {
    for_each_provider([](Rig& rig, const Subject&) {
        rig.ask();
        rig.ask();
        const auto& asked = rig.host.requests;
        BOOST_TEST(asked.at(0).string("body") == asked.at(1).string("body"));
        BOOST_TEST(asked.at(0).string("method") == "POST");
    });
}

BOOST_AUTO_TEST_CASE(gives_a_refusal_its_class) {
    struct {
        int status;
        const char* code;
        foxwedge_status how;
    } rows[] = {
        {400, "invalid_request", FOXWEDGE_E_INVALID}, {401, "unauthorized", FOXWEDGE_E_INVALID},
        {403, "unauthorized", FOXWEDGE_E_INVALID},    {404, "invalid_request", FOXWEDGE_E_INVALID},
        {408, "timeout", FOXWEDGE_E_UNKNOWN},         {429, "rate_limited", FOXWEDGE_E_TRANSIENT},
        {500, "server_error", FOXWEDGE_E_UNKNOWN},    {503, "overloaded", FOXWEDGE_E_TRANSIENT},
        {529, "overloaded", FOXWEDGE_E_TRANSIENT},
    };
    for_each_provider([&](Rig& rig, const Subject&) {
        for (const auto& row : rows) {
            rig.answer(row.status, "application/json", R"({"error":{"message":"no"}})");
            if (row.status == 429) rig.header("retry-after", "7");
            const auto told = rig.ask();
            BOOST_TEST(told.code == row.code, row.status << ": " << told.code);
            BOOST_TEST(told.status == row.how, row.status);
            BOOST_TEST(told.details.integer("httpStatus", 0) == row.status);
            BOOST_TEST(told.details.integer("retryAfterMs", 0) == (row.status == 429 ? 7000 : 0));
        }
    });
}

BOOST_AUTO_TEST_CASE(never_takes_a_stream_without_its_end_for_an_answer) {
    for_each_provider([](Rig& rig, const Subject& subject) {
        const auto half = subject.stream.find("lo\"");
        rig.answer_stream(subject.stream.substr(0, half));
        const auto told = rig.ask();
        BOOST_TEST(told.status == FOXWEDGE_E_UNKNOWN);
        BOOST_TEST(told.code == "connection_lost");
    });
}

BOOST_AUTO_TEST_CASE(passes_on_how_a_transfer_failed) {
    for_each_provider([](Rig& rig, const Subject&) {
        rig.host.response_pieces.clear();
        for (const auto status : {FOXWEDGE_E_TRANSIENT, FOXWEDGE_E_UNKNOWN, FOXWEDGE_E_INVALID}) {
            rig.host.response_status = status;
            BOOST_TEST(rig.ask().status == status);
        }
    });
}

BOOST_AUTO_TEST_CASE(ends_when_the_host_wants_no_more) {
    for_each_provider([](Rig& rig, const Subject&) {
        rig.instance->cancel_after = 0;
        BOOST_TEST(rig.ask().status == FOXWEDGE_E_CANCELLED);
    });
}

BOOST_AUTO_TEST_CASE(calls_nothing_an_answer_that_is_empty) {
    for_each_provider([](Rig& rig, const Subject& subject) {
        std::string nothing = subject.stream;
        for (const char* piece : {"\"Hel\"", "\"lo\"", "\"Hello\""})
            for (std::size_t at; (at = nothing.find(piece)) != nothing.npos;)
                nothing.replace(at, std::string_view(piece).size(), "\"\"");
        rig.answer_stream(nothing);
        const auto told = rig.ask();
        BOOST_TEST(told.status == FOXWEDGE_E_TRANSIENT);
        BOOST_TEST(told.code == "empty_response");
    });
}

BOOST_AUTO_TEST_SUITE_END()
