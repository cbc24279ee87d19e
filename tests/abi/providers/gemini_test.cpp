// Gemini: what is sent, and what its oddities mean.
#include <boost/test/unit_test.hpp>

#include "recordings.hpp"

using namespace provider_test;

namespace {

struct Gemini : Rig {
    explicit Gemini(const Value& config = object()) : Rig("provider-gemini", "gemini", config) {}
};
const char* const ok =
    R"({"candidates":[{"content":{"parts":[{"text":"ok"}]},"finishReason":"STOP"}]})";
std::string event(std::string_view json) {
    return "data: " + std::string(json) + "\r\n\r\n";
}
Value block(std::string_view text) {
    return object({{"type", "text"}, {"text", text}});
}
Value call(std::string_view id) {
    return object({{"type", "tool_call"}, {"id", id}, {"name", "look"}, {"arguments", ""}});
}
Value message(std::string_view role, Value content) {
    return object({{"role", role}, {"content", std::move(content)}});
}

} // namespace

BOOST_AUTO_TEST_SUITE(gemini)

BOOST_AUTO_TEST_CASE(a_request_is_written_in_the_vendors_words) {
    Gemini rig;
    rig.answer_stream(event(ok));
    auto request = Rig::question("gemini-2.5-pro");
    request.set("system", "Be brief.");
    request.set("maxTokens", 64);
    request.set("tools", array({object({{"name", "look"},
                                        {"description", "d"},
                                        {"inputSchema", object({{"type", "object"}})}})}));
    request.set("toolChoice", object({{"name", "look"}}));
    request.set("output", object({{"schema", object({{"type", "object"}})}, {"name", "x"}}));
    request.set("options", Value::parse(R"({"generationConfig":{"topK":3},"safetySettings":[]})"));
    BOOST_REQUIRE(rig.generate(request).status == FOXWEDGE_OK);
    const auto& sent = rig.host.requests.back();
    BOOST_TEST(sent.string("url") == "https://generativelanguage.googleapis.com/v1beta/models/"
                                     "gemini-2.5-pro:streamGenerateContent?alt=sse");
    BOOST_TEST(to_text(sent["headers"]["x-goog-api-key"]) == R"({"secret":"GEMINI_API_KEY"})");
    BOOST_TEST(
        to_text(rig.sent()) ==
        R"({"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"systemInstruction":{"parts":[{"text":"Be brief."}]},)"
        R"("tools":[{"functionDeclarations":[{"name":"look","description":"d","parametersJsonSchema":{"type":"object"}}]}],)"
        R"("toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["look"]}},"safetySettings":[],)"
        R"("generationConfig":{"maxOutputTokens":64,"responseMimeType":"application/json","responseJsonSchema":{"type":"object"},"topK":3}})");
}

BOOST_AUTO_TEST_CASE(a_model_is_no_way_to_another_path) {
    for (auto name : {"a?b", "a#b", "a b", "a\\b", "a%2e"}) {
        Gemini rig;
        BOOST_TEST(rig.generate(Rig::question(name)).code == "invalid_request");
        BOOST_TEST(rig.host.requests.empty());
    }
    Gemini rig(object({{"stream", false}}));
    rig.answer_json(ok);
    BOOST_REQUIRE(rig.generate(Rig::question("tunedModels/mine")).status == FOXWEDGE_OK);
    BOOST_TEST(rig.host.requests.back().string("url") ==
               "https://generativelanguage.googleapis.com/v1beta/tunedModels/mine:generateContent");
}

BOOST_AUTO_TEST_CASE(signatures_and_server_tools_go_back_part_by_part) {
    const auto found =
        recordings({"gemini-streamgeneratecontent-google-model-file-search-grounding"});
    if (found.empty()) return;
    Gemini rig;
    play(rig, found[0]);
    const auto first = rig.generate(Rig::question("gemini-3-flash-preview"));
    BOOST_REQUIRE(first.status == FOXWEDGE_OK);
    auto request = Rig::question("gemini-3-flash-preview");
    Value messages = request["messages"];
    messages.push(message("assistant", first.result["content"]));
    request.set("messages", messages);
    rig.answer_stream(event(ok));
    BOOST_REQUIRE(rig.generate(request).status == FOXWEDGE_OK);
    const auto sent = rig.sent();
    std::size_t signatures = 0, tools = 0;
    for (const auto& part : sent.array("contents")[1].array("parts")) {
        signatures += has(part, "thoughtSignature");
        tools += has(part, "toolCall") || has(part, "toolResponse");
    }
    BOOST_TEST(signatures == 3U);
    BOOST_TEST(tools == 2U);
}

BOOST_AUTO_TEST_CASE(calls_of_another_model_are_marked_as_such) {
    Gemini rig;
    auto request = Rig::question("gemini-3-pro");
    request.set("messages",
                array({message("user", array({block("q")})),
                       message("assistant", array({call("a"), call("b")})),
                       message("tool", array({object({{"type", "tool_result"},
                                                      {"callId", "a"},
                                                      {"name", "look"},
                                                      {"content", array({block("one")})}}),
                                              object({{"type", "tool_result"},
                                                      {"callId", "b"},
                                                      {"name", "look"},
                                                      {"isError", true},
                                                      {"content", array({block("no")})}})})),
                       message("user", array({block("go on")}))}));
    rig.answer_stream(event(ok));
    BOOST_REQUIRE(rig.generate(request).status == FOXWEDGE_OK);
    const auto sent = rig.sent();
    const auto& contents = sent.array("contents");
    BOOST_REQUIRE(contents.size() == 3U);
    BOOST_TEST(has(contents[1].array("parts")[0], "thoughtSignature"));
    BOOST_TEST(!has(contents[1].array("parts")[1], "thoughtSignature"));
    BOOST_TEST(
        to_text(contents[2]) ==
        R"({"role":"user","parts":[{"functionResponse":{"id":"a","name":"look","response":{"result":"one"}}},)"
        R"({"functionResponse":{"id":"b","name":"look","response":{"error":"no"}}},{"text":"go on"}]})");
}

BOOST_AUTO_TEST_CASE(refusals_have_a_class_and_a_wait) {
    const std::tuple<int, const char*, const char*, foxwedge_status> table[] = {
        {400,
         R"({"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}})",
         "unauthorized", FOXWEDGE_E_INVALID},
        {400,
         R"({"error":{"code":400,"message":"The input token count exceeds","status":"INVALID_ARGUMENT"}})",
         "context_window_exceeded", FOXWEDGE_E_INVALID},
        {429,
         R"([{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"34.5s"}]}}])",
         "rate_limited", FOXWEDGE_E_TRANSIENT},
        {503, R"({"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}})", "overloaded",
         FOXWEDGE_E_TRANSIENT},
        {500, R"({"error":{"code":500,"message":"oops","status":"INTERNAL"}})", "server_error",
         FOXWEDGE_E_UNKNOWN},
        {504, R"({"error":{"code":504,"message":"late","status":"DEADLINE_EXCEEDED"}})", "timeout",
         FOXWEDGE_E_UNKNOWN},
        {403, R"({"error":{"code":403,"message":"no","status":"PERMISSION_DENIED"}})",
         "unauthorized", FOXWEDGE_E_INVALID},
    };
    for (const auto& [http, body, code, status] : table) {
        Gemini rig;
        rig.answer(http, "application/json", body);
        const auto outcome = rig.ask();
        BOOST_TEST(outcome.code == code, body);
        BOOST_TEST(outcome.status == status, body);
        if (http == 429) BOOST_TEST(outcome.details.integer("retryAfterMs", 0) == 34500);
    }
}

BOOST_AUTO_TEST_CASE(a_stream_needs_its_finish_reason) {
    Gemini rig;
    rig.answer_stream(event(R"({"candidates":[{"content":{"parts":[{"text":"half"}]}}]})"));
    BOOST_TEST(rig.ask().code == "connection_lost");
    rig.answer_stream(
        event(R"({"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL"}]})"));
    BOOST_TEST(rig.ask().code == "empty_response");
    rig.answer_stream(event(R"({"promptFeedback":{"blockReason":"SAFETY"}})"));
    BOOST_TEST(rig.ask().result.string("stop") == "content_filter");
    rig.answer_json("{}");
    BOOST_TEST(rig.ask().code == "connection_lost");
}

BOOST_AUTO_TEST_SUITE_END()
