// The Messages API: what is sent, and what its oddities mean.
#include <boost/test/unit_test.hpp>

#include "recordings.hpp"

using namespace provider_test;

namespace {

struct Anthropic : Rig {
    explicit Anthropic(const Value& config = object())
        : Rig("provider-anthropic", "anthropic", config) {}
};

std::string event(std::string_view data) {
    return "data: " + std::string(data) + "\n\n";
}
const std::string begin = event(
    R"({"type":"message_start","message":{"id":"msg_1","model":"claude-x-20260101","usage":{"input_tokens":9,"output_tokens":1}}})");
const std::string text =
    event(R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})") +
    event(
        R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"你好 🌍"}})") +
    event(R"({"type":"content_block_stop","index":0})");
std::string end(std::string_view reason) {
    return event(R"({"type":"message_delta","delta":{"stop_reason":")" + std::string(reason) +
                 R"("},"usage":{"output_tokens":5}})") +
           event(R"({"type":"message_stop"})");
}
Value recorded(const std::string& name) {
    const auto found = recordings({name});
    return found.empty() ? Value() : found[0].exchange["request"]["body"];
}

} // namespace

BOOST_AUTO_TEST_SUITE(anthropic)

BOOST_AUTO_TEST_CASE(the_key_is_a_secret_that_the_host_fills_in) {
    Anthropic rig;
    rig.answer_stream(begin + text + end("end_turn"));
    BOOST_REQUIRE(rig.ask().status == FOXWEDGE_OK);
    const auto& request = rig.host.requests.back();
    BOOST_TEST(request.string("url") == "https://api.anthropic.com/v1/messages");
    BOOST_TEST(request.string("method") == "POST");
    BOOST_TEST(to_text(request["headers"]["x-api-key"]) == R"({"secret":"ANTHROPIC_API_KEY"})");
    BOOST_TEST(request["headers"].string("anthropic-version") == "2023-06-01");
    BOOST_TEST(request["headers"].string("idempotency-key") == "k");
    BOOST_TEST(request.integer("idleTimeoutMs", 0) == 120000);
}

BOOST_AUTO_TEST_CASE(another_address_gets_no_key_by_itself) {
    Anthropic rig(object({{"baseUrl", "http://127.0.0.1:9/"}, {"beta", array({"a", "b"})}}));
    rig.answer_stream(begin + text + end("end_turn"));
    BOOST_REQUIRE(rig.ask().status == FOXWEDGE_OK);
    const auto& request = rig.host.requests.back();
    BOOST_TEST(request.string("url") == "http://127.0.0.1:9/v1/messages");
    BOOST_TEST(!request["headers"].find("x-api-key"));
    BOOST_TEST(request["headers"].string("anthropic-beta") == "a,b");
}

// The host fills in the schema's defaults: the vendor's own address is still the vendor's own.
BOOST_AUTO_TEST_CASE(the_vendors_address_by_name_gets_the_key_too) {
    Anthropic rig(object({{"baseUrl", "https://api.anthropic.com"}}));
    rig.answer_stream(begin + text + end("end_turn"));
    BOOST_REQUIRE(rig.ask().status == FOXWEDGE_OK);
    BOOST_TEST(has(rig.host.requests.back()["headers"], "x-api-key"));
    Anthropic without(object({{"apiKey", nullptr}}));
    without.answer_stream(begin + text + end("end_turn"));
    BOOST_REQUIRE(without.ask().status == FOXWEDGE_OK);
    BOOST_TEST(!has(without.host.requests.back()["headers"], "x-api-key"));
}

BOOST_AUTO_TEST_CASE(a_key_as_text_is_refused) {
    BOOST_CHECK_THROW(Anthropic(object({{"apiKey", "sk-ant-abc"}})), plugin_host::NotCreated);
}

BOOST_AUTO_TEST_CASE(a_history_of_tools_is_sent_as_the_vendors_sdk_sends_it) {
    const auto theirs =
        recorded("anthropic-messages-tool-calls-anthropic-text-block-and-history-0");
    if (theirs.is_null()) return;
    Anthropic rig(object({{"promptCache", false}, {"maxTokens", 1024}, {"stream", false}}));
    rig.answer_json(R"({"content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn"})");
    const auto& messages = theirs.array("messages");
    const auto& said = messages[1].array("content");
    const auto& result = messages[2].array("content")[0];
    auto request = Rig::question(theirs.string("model"));
    const auto text_block = [](std::string_view t) {
        return object({{"type", "text"}, {"text", t}});
    };
    request.set(
        "messages",
        array({object({{"role", "user"},
                       {"content", array({text_block(messages[0].string("content"))})}}),
               object({{"role", "assistant"},
                       {"content", array({text_block(said[0].string("text")),
                                          object({{"type", "tool_call"},
                                                  {"id", said[1].string("id")},
                                                  {"name", said[1].string("name")},
                                                  {"arguments", to_text(said[1]["input"])}})})}}),
               object({{"role", "tool"},
                       {"content", array({object({{"type", "tool_result"},
                                                  {"callId", result.string("tool_use_id")},
                                                  {"name", "get_weather"},
                                                  {"content", array({text_block(result.string(
                                                                  "content"))})}})})}})}));
    Value tools = array();
    for (const auto& tool : theirs.array("tools"))
        tools.push(object({{"name", tool.string("name")},
                           {"description", ""},
                           {"inputSchema", tool["input_schema"]}}));
    request.set("tools", tools);
    BOOST_REQUIRE(rig.generate(request).status == FOXWEDGE_OK);
    const auto sent = rig.sent();
    BOOST_TEST(sent.string("model") == theirs.string("model"));
    BOOST_TEST(sent.integer("max_tokens", 0) == 1024);
    BOOST_TEST((sent["tools"] == theirs["tools"]));
    BOOST_TEST((sent.array("messages")[1] == messages[1]));
    const auto& sent_result = sent.array("messages")[2].array("content")[0];
    BOOST_TEST(sent_result.string("tool_use_id") == result.string("tool_use_id"));
    BOOST_TEST(sent_result.array("content")[0].string("text") == result.string("content"));
}

BOOST_AUTO_TEST_CASE(a_shape_is_asked_for_as_the_vendor_has_it) {
    const auto theirs = recorded("anthropic-messages-mixed-tools-native-output-0");
    if (theirs.is_null()) return;
    Anthropic rig;
    rig.answer_stream(begin + text + end("end_turn"));
    auto request = Rig::question();
    request.set("output", object({{"name", "city"},
                                  {"schema", theirs["output_config"]["format"]["schema"]}}));
    BOOST_REQUIRE(rig.generate(request).status == FOXWEDGE_OK);
    BOOST_TEST((rig.sent()["output_config"] == theirs["output_config"]));
}

BOOST_AUTO_TEST_CASE(an_image_is_sent_as_the_vendor_has_it) {
    const auto theirs = recorded("anthropic-messages-image-prompt-0");
    if (theirs.is_null()) return;
    const auto& image = theirs.array("messages")[0].array("content")[0];
    Anthropic rig(object({{"promptCache", false}}));
    rig.answer_stream(begin + text + end("end_turn"));
    auto request = Rig::question();
    request.set("messages",
                array({object(
                    {{"role", "user"},
                     {"content", array({object({{"type", "image"},
                                                {"mimeType", image["source"].string("media_type")},
                                                {"data", image["source"].string("data")}})})}})}));
    BOOST_REQUIRE(rig.generate(request).status == FOXWEDGE_OK);
    BOOST_TEST((rig.sent().array("messages")[0].array("content")[0] == image));
}

BOOST_AUTO_TEST_CASE(options_reach_the_body_and_marks_the_fixed_part) {
    Anthropic rig;
    rig.answer_stream(begin + text + end("end_turn"));
    auto request = Rig::question();
    request.set("system", "Be brief.");
    request.set("tools",
                array({object({{"name", "a"}, {"description", ""}, {"inputSchema", object()}}),
                       object({{"name", "b"}, {"description", ""}, {"inputSchema", object()}})}));
    request.set("toolChoice", "required");
    request.set("temperature", 0.5);
    request.set("options", object({{"top_k", 3}, {"thinking", object({{"type", "enabled"}})}}));
    BOOST_REQUIRE(rig.generate(request).status == FOXWEDGE_OK);
    const auto sent = rig.sent();
    BOOST_TEST(sent.integer("top_k", 0) == 3);
    BOOST_TEST(sent["thinking"].string("type") == "enabled");
    BOOST_TEST(sent["tool_choice"].string("type") == "any");
    BOOST_TEST(sent.number("temperature", 0) == 0.5);
    BOOST_TEST(sent.array("system")[0].find("cache_control"));
    BOOST_TEST(!sent.array("tools")[0].find("cache_control"));
    BOOST_TEST(sent.array("tools")[1].find("cache_control"));
    BOOST_TEST(sent.array("messages")[0].array("content")[0].find("cache_control"));
}

// B38: reasoning comes back unchanged, in order, redacted too; nothing of another model's.
BOOST_AUTO_TEST_CASE(signed_reasoning_is_returned_unchanged) {
    const std::string_view thinking[] = {
        R"({"type":"thinking","thinking":"hm","signature":"sigA"})",
        R"({"type":"redacted_thinking","data":"C"})",
        R"({"type":"thinking","thinking":"","signature":"sigB"})",
    };
    Anthropic rig;
    rig.answer_json(
        R"({"id":"x","model":"claude-x-20260101","stop_reason":"tool_use","content":[)" +
        std::string(thinking[0]) +
        R"(,{"type":"tool_use","id":"t1","name":"a","input":{"p":1},"caller":{"type":"direct"}},)" +
        std::string(thinking[1]) + "," + std::string(thinking[2]) +
        R"(,{"type":"tool_use","id":"t2","name":"b","input":{}}]})");
    const auto first = rig.generate(Rig::question("claude-x-20260101"));
    BOOST_REQUIRE(first.status == FOXWEDGE_OK);
    BOOST_TEST(first.result.array("content").size() == 5U);
    BOOST_TEST(first.result.array("content")[0]["opaque"].string("format") == "anthropic-messages");
    BOOST_TEST(first.result.array("content")[0]["opaque"].string("model") == "claude-x");

    const auto next = [&](std::string_view model) {
        auto request = Rig::question(model);
        auto messages = request["messages"];
        messages.push(object({{"role", "assistant"}, {"content", first.result["content"]}}));
        request.set("messages", messages);
        rig.answer_stream(begin + text + end("end_turn"));
        BOOST_REQUIRE(rig.generate(request).status == FOXWEDGE_OK);
        return rig.sent().array("messages")[1]["content"];
    };
    const auto same = next("claude-x");
    BOOST_REQUIRE(same.array().size() == 5U);
    BOOST_TEST((same.array()[0] == Value::parse(thinking[0])));
    BOOST_TEST((same.array()[2] == Value::parse(thinking[1])));
    BOOST_TEST((same.array()[3] == Value::parse(thinking[2])));
    BOOST_TEST(same.array()[1]["caller"].string("type") == "direct");
    BOOST_TEST(to_text(same.array()[4]["input"]) == "{}");
    BOOST_TEST(next("claude-other").array().size() == 2U); // the calls alone
}

BOOST_AUTO_TEST_CASE(a_refused_signature_costs_one_retry_without_reasoning) {
    Anthropic rig;
    auto request = Rig::question();
    auto messages = request["messages"];
    messages.push(object(
        {{"role", "assistant"},
         {"content", array({object({{"type", "reasoning"},
                                    {"text", "hm"},
                                    {"opaque", object({{"format", "anthropic-messages"},
                                                       {"model", "m"},
                                                       {"block", object({{"type", "thinking"},
                                                                         {"signature", "s"}})}})}}),
                            object({{"type", "text"}, {"text", "so"}})})}}));
    request.set("messages", messages);
    request.set("options", object({{"thinking", object({{"type", "enabled"}})}}));
    rig.answer(
        400, "application/json",
        R"({"type":"error","error":{"type":"invalid_request_error","message":"messages.1: Invalid `signature` in `thinking` block"}})");
    const auto outcome = rig.generate(request);
    BOOST_TEST(outcome.code == "invalid_request"); // the canned answer is the same again
    BOOST_REQUIRE(rig.host.requests.size() == 2U);
    BOOST_TEST(!has(rig.sent(), "thinking"));
    BOOST_TEST(rig.sent().array("messages")[1].array("content").size() == 1U);
}

// B34: without its last event a stream is a lost connection.
BOOST_AUTO_TEST_CASE(a_stream_without_its_end_is_no_answer) {
    Anthropic rig;
    for (const auto& body :
         {begin, begin + text,
          begin + text + event(R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})")}) {
        rig.answer_stream(body);
        const auto outcome = rig.ask();
        BOOST_TEST(outcome.code == "connection_lost");
        BOOST_TEST(outcome.status == FOXWEDGE_E_UNKNOWN);
    }
    rig.answer_stream(begin + text);
    rig.host.response_status = FOXWEDGE_E_UNKNOWN; // a reset: the host's own words are passed on
    BOOST_TEST(rig.ask().status == FOXWEDGE_E_UNKNOWN);
}

BOOST_AUTO_TEST_CASE(a_broken_connection_after_the_end_changes_nothing) {
    Anthropic rig;
    rig.answer_stream(begin + text + end("end_turn"));
    rig.host.response_status = FOXWEDGE_E_UNKNOWN;
    BOOST_TEST(rig.ask().status == FOXWEDGE_OK);
}

BOOST_AUTO_TEST_CASE(an_error_inside_a_stream_has_its_own_class) {
    const std::tuple<const char*, const char*, foxwedge_status> table[] = {
        {"overloaded_error", "overloaded", FOXWEDGE_E_TRANSIENT},
        {"rate_limit_error", "rate_limited", FOXWEDGE_E_TRANSIENT},
        {"api_error", "server_error", FOXWEDGE_E_UNKNOWN},
        {"timeout_error", "timeout", FOXWEDGE_E_UNKNOWN},
        {"invalid_request_error", "invalid_request", FOXWEDGE_E_INVALID},
        {"authentication_error", "unauthorized", FOXWEDGE_E_INVALID},
    };
    for (const auto& [type, code, status] : table) {
        Anthropic rig;
        rig.answer_stream(begin + "event: error\n" +
                          event(R"({"type":"error","error":{"type":")" + std::string(type) +
                                R"(","message":"no"}})"));
        const auto outcome = rig.ask();
        BOOST_TEST(outcome.code == code);
        BOOST_TEST(outcome.status == status);
    }
}

BOOST_AUTO_TEST_CASE(stop_reasons_become_neutral) {
    for (const auto& [theirs, ours] :
         {std::pair("end_turn", "end"), std::pair("max_tokens", "length"),
          std::pair("refusal", "refusal"), std::pair("pause_turn", "pause"),
          std::pair("model_context_window_exceeded", "length"), std::pair("tool_use", "tool_use"),
          std::pair("something_new", "end")}) {
        Anthropic rig;
        rig.answer_stream(begin + text + end(theirs));
        BOOST_TEST(rig.ask().result.string("stop") == ours);
    }
}

BOOST_AUTO_TEST_CASE(an_answer_without_content_is_asked_again) {
    Anthropic rig;
    rig.answer_stream(begin + end("end_turn"));
    const auto outcome = rig.ask();
    BOOST_TEST(outcome.code == "empty_response");
    BOOST_TEST(outcome.status == FOXWEDGE_E_TRANSIENT);
    rig.answer_stream(begin + end("max_tokens"));
    BOOST_TEST(rig.ask().result.string("stop") == "length");
}

// B28: a tool without parameters.
BOOST_AUTO_TEST_CASE(a_call_without_input_is_a_call_with_nothing) {
    const std::string start = event(
        R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"clock_now","input":{}}})");
    for (
        const auto& delta :
        {std::string(),
         event(
             R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}})")}) {
        Anthropic rig;
        rig.answer_stream(begin + start + delta + end("tool_use"));
        const auto outcome = rig.ask();
        BOOST_REQUIRE(outcome.status == FOXWEDGE_OK);
        BOOST_TEST(to_text(calls_of(outcome.result)) ==
                   R"([{"id":"c1","name":"clock_now","arguments":{}}])");
    }
}

BOOST_AUTO_TEST_CASE(cancelling_ends_the_transfer) {
    Anthropic rig;
    rig.answer_stream(begin + text + text + text + end("end_turn"), 50);
    rig.instance->cancel_after = 1;
    BOOST_TEST(rig.ask().status == FOXWEDGE_E_CANCELLED);
}

BOOST_AUTO_TEST_CASE(tokens_are_counted_by_the_vendor) {
    Anthropic rig;
    rig.answer_json(R"({"input_tokens": 641})");
    const auto outcome = rig.instance->count_tokens(Rig::question());
    BOOST_REQUIRE(outcome.status == FOXWEDGE_OK);
    BOOST_TEST(outcome.result.integer("tokens", 0) == 641);
    BOOST_TEST(rig.host.requests.back().string("url") ==
               "https://api.anthropic.com/v1/messages/count_tokens");
    BOOST_TEST(!has(rig.sent(), "max_tokens"));
}

BOOST_AUTO_TEST_SUITE_END()
