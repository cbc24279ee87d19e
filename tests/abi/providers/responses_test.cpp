// The Responses API: what is sent, and that items come back as they were.
#include <boost/test/unit_test.hpp>

#include "recordings.hpp"

using namespace provider_test;

namespace {

struct Responses : Rig {
    explicit Responses(Value config = object())
        : Rig("provider-openai", "openai", with_api(config)) {}
    static Value with_api(Value config) {
        config.set("api", "responses");
        return config;
    }
};

const char* const ok =
    R"({"status":"completed","model":"m","id":"r","output":[{"type":"message","id":"msg","role":"assistant","content":[{"type":"output_text","text":"ok"}]}]})";
Value block(std::string_view text) {
    return object({{"type", "text"}, {"text", text}});
}
std::string event(std::string_view json) {
    return "data: " + std::string(json) + "\n\n";
}

} // namespace

BOOST_AUTO_TEST_SUITE(responses)

BOOST_AUTO_TEST_CASE(nothing_is_kept_at_the_vendors) {
    Responses rig;
    rig.answer_json(ok);
    auto request = Rig::question("gpt-5");
    request.set("system", "Be brief.");
    request.set("maxTokens", 64);
    request.set("tools",
                array({object({{"name", "a"}, {"description", "d"}, {"inputSchema", object()}})}));
    BOOST_REQUIRE(rig.generate(request).status == FOXWEDGE_OK);
    const auto sent = rig.sent();
    BOOST_TEST(rig.host.requests.back().string("url") == "https://api.openai.com/v1/responses");
    BOOST_TEST(!sent.boolean("store", true));
    BOOST_TEST(to_text(sent["include"]) == R"(["reasoning.encrypted_content"])");
    BOOST_TEST(sent.string("instructions") == "Be brief.");
    BOOST_TEST(sent.integer("max_output_tokens", 0) == 64);
    BOOST_TEST(!sent.array("tools")[0].boolean("strict", true));
    BOOST_TEST(to_text(sent["input"]) == R"([{"role":"user","content":"Hi"}])");
    rig.generate(Rig::question("gpt-4o"));
    BOOST_TEST(!has(rig.sent(), "include")); // refused by models that do not think
}

BOOST_AUTO_TEST_CASE(a_recorded_history_goes_back_item_by_item) {
    const auto found = recordings({"openai-responses-openai-responses-model-web-search-tool-1"});
    if (found.empty()) return;
    Responses rig;
    play(rig, found[0]);
    const auto first = rig.generate(Rig::question("gpt-5"));
    BOOST_REQUIRE(first.status == FOXWEDGE_OK);
    auto request = Rig::question("gpt-5");
    Value messages = request["messages"];
    messages.push(object({{"role", "assistant"}, {"content", first.result["content"]}}));
    request.set("messages", messages);
    rig.answer_json(ok);
    BOOST_REQUIRE(rig.generate(request).status == FOXWEDGE_OK);
    const auto theirs = Value::parse(found[0].body());
    const auto sent = rig.sent();
    const auto& input = sent.array("input");
    const auto& output = theirs.array("output");
    BOOST_REQUIRE(input.size() == output.size() + 1);
    for (std::size_t i = 0; i < 3; ++i)
        BOOST_TEST((input[i + 1] == output[i])); // reasoning, search
    BOOST_TEST(input[4].string("id") == output[3].string("id"));
    BOOST_TEST(input[4].array("content")[0].string("text") ==
               output[3].array("content")[0].string("text"));
}

BOOST_AUTO_TEST_CASE(calls_and_results_are_items) {
    Responses rig(object({{"baseUrl", "http://127.0.0.1:9"}}));
    auto request = Rig::question();
    request.set(
        "messages",
        array({object({{"role", "user"}, {"content", array({block("q")})}}),
               object({{"role", "assistant"},
                       {"content", array({block("let me see"), object({{"type", "tool_call"},
                                                                       {"id", "c1"},
                                                                       {"name", "a"},
                                                                       {"arguments", ""}})})}}),
               object({{"role", "tool"},
                       {"content",
                        array({object({{"type", "tool_result"},
                                       {"callId", "c1"},
                                       {"content", array({block("seen"),
                                                          object({{"type", "image"},
                                                                  {"mimeType", "image/png"},
                                                                  {"data", "QQ=="}})})}})})}})}));
    rig.answer_json(ok);
    BOOST_REQUIRE(rig.generate(request).status == FOXWEDGE_OK);
    const auto sent = rig.sent();
    BOOST_TEST(to_text(sent.array("input")[2]) ==
               R"({"type":"function_call","call_id":"c1","name":"a","arguments":"{}"})");
    BOOST_TEST(
        to_text(sent.array("input")[3]["output"]) ==
        R"([{"type":"input_text","text":"seen"},{"type":"input_image","image_url":"data:image/png;base64,QQ=="}])");
    BOOST_TEST(!has(sent, "store")); // not everyone who speaks this knows it
}

BOOST_AUTO_TEST_CASE(failures_and_cut_streams_have_their_class) {
    const std::tuple<std::string, const char*, foxwedge_status> table[] = {
        {event(R"({"type":"response.created","response":{"status":"in_progress"}})"),
         "connection_lost", FOXWEDGE_E_UNKNOWN},
        {event(R"({"type":"error","code":"rate_limit_exceeded","message":"slow"})"), "rate_limited",
         FOXWEDGE_E_TRANSIENT},
        {event(R"({"type":"error","error":{"type":"server_error","message":"oops"}})"),
         "server_error", FOXWEDGE_E_UNKNOWN},
        {event(
             R"({"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"oops"}}})"),
         "server_error", FOXWEDGE_E_UNKNOWN},
        {event(R"({"type":"response.completed","response":{"status":"completed","output":[]}})"),
         "empty_response", FOXWEDGE_E_TRANSIENT},
    };
    for (const auto& [body, code, status] : table) {
        Responses rig;
        rig.answer_stream(body);
        const auto outcome = rig.ask();
        BOOST_TEST(outcome.code == code, body);
        BOOST_TEST(outcome.status == status, body);
    }
}

BOOST_AUTO_TEST_CASE(a_last_event_without_items_uses_those_that_came) {
    Responses rig;
    rig.answer_stream(
        event(
            R"({"type":"response.output_item.done","item":{"type":"message","content":[{"type":"refusal","refusal":"no"}]}})") +
        event(R"({"type":"response.completed","response":{"status":"completed","output":[]}})") +
        event("[DONE]"));
    const auto outcome = rig.ask();
    BOOST_REQUIRE(outcome.status == FOXWEDGE_OK);
    BOOST_TEST(outcome.result.string("stop") == "refusal");
    BOOST_TEST(text_of(outcome.result) == "no");
}

BOOST_AUTO_TEST_SUITE_END()
