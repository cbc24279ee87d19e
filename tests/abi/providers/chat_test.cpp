// Chat Completions: what is sent, and what servers make of the format.
#include <boost/test/unit_test.hpp>

#include "recordings.hpp"

using namespace provider_test;

namespace {

struct Chat : Rig {
    explicit Chat(const Value& config = object()) : Rig("provider-openai", "openai", config) {}
    Outcome streamed(std::string_view body, std::size_t piece = 0) {
        answer_stream(body, piece);
        return ask();
    }
};

std::string event(std::string_view json) {
    return "data: " + std::string(json) + "\n\n";
}
std::string delta(std::string_view json, std::string_view more = "") {
    return event(R"({"choices":[{"index":0,"delta":)" + std::string(json) + std::string(more) +
                 "}]}");
}
std::string call_piece(std::string_view json) {
    return delta(R"({"tool_calls":[)" + std::string(json) + "]}");
}
const std::string done = event("[DONE]");
std::string finish(std::string_view reason) {
    return delta("{}", R"(,"finish_reason":")" + std::string(reason) + "\"");
}
Value block(std::string_view type, std::string_view text) {
    return object({{"type", type}, {"text", text}});
}

} // namespace

BOOST_AUTO_TEST_SUITE(chat)

// B25: the same text for every cut.
BOOST_AUTO_TEST_CASE(any_cut_gives_the_same_answer) {
    const auto body = delta("{\"content\":\"你好 🌍\"}") + finish("stop") + done;
    for (std::size_t piece = 1; piece <= body.size(); ++piece) {
        Chat chat;
        const auto outcome = chat.streamed(body, piece);
        BOOST_REQUIRE(outcome.status == FOXWEDGE_OK);
        BOOST_TEST(text_of(outcome.result) == "你好 🌍");
    }
    Chat chat;
    const auto outcome = chat.streamed(delta("{\"content\":\"a\xFF z\"}") + finish("stop"));
    BOOST_TEST(text_of(outcome.result) == "a\xEF\xBF\xBD z");
}

// B27: comments and pings say nothing and end nothing.
BOOST_AUTO_TEST_CASE(keep_alives_are_no_content) {
    Chat chat;
    const auto outcome =
        chat.streamed(": ping\n\n: OPENROUTER PROCESSING\n\n" + delta(R"({"content":"hi"})") +
                      "event: ping\n" + event(R"({"type":"ping"})") + finish("stop") + done);
    BOOST_REQUIRE(outcome.status == FOXWEDGE_OK);
    BOOST_TEST(text_of(outcome.result) == "hi");
}

// B28: a tool without parameters.
BOOST_AUTO_TEST_CASE(empty_arguments_stay_as_the_model_wrote_them) {
    for (const auto& [arguments, kept] :
         {std::pair(R"("")", ""), std::pair(R"("  ")", "  "), std::pair("null", "")}) {
        Chat chat;
        const auto outcome = chat.streamed(
            call_piece(R"({"index":0,"id":"c1","function":{"name":"clock_now","arguments":)" +
                       std::string(arguments) + "}}") +
            finish("tool_calls"));
        BOOST_REQUIRE(outcome.status == FOXWEDGE_OK);
        BOOST_TEST(outcome.result.array("content")[0].string("arguments") == kept);
    }
}

// B29: however the server labels them, two calls are two calls.
BOOST_AUTO_TEST_CASE(tool_calls_survive_wrong_labels) {
    const std::string variants[] = {
        // one index for both
        call_piece(R"({"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\":1}"}})") +
            call_piece(
                R"({"index":0,"id":"b","function":{"name":"read","arguments":"{\"p\":2}"}})"),
        // no index
        call_piece(R"({"id":"a","function":{"name":"read","arguments":"{\"p\""}})") +
            call_piece(R"({"function":{"arguments":":1}"}})") +
            call_piece(R"({"id":"b","function":{"name":"read","arguments":"{\"p\":2}"}})"),
        // a gap
        call_piece(R"({"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\":1}"}})") +
            call_piece(
                R"({"index":2,"id":"b","function":{"name":"read","arguments":"{\"p\":2}"}})"),
        // interleaved, id on the first piece only
        call_piece(R"({"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\""}})") +
            call_piece(R"({"index":1,"id":"b","function":{"name":"read","arguments":"{\"p\""}})") +
            call_piece(R"({"index":0,"function":{"arguments":":1}"}})") +
            call_piece(R"({"index":1,"function":{"arguments":":2}"}})"),
        // id and name with every piece
        call_piece(R"({"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\""}})") +
            call_piece(R"({"index":0,"id":"a","function":{"name":"read","arguments":":1}"}})") +
            call_piece(
                R"({"index":1,"id":"b","function":{"name":"read","arguments":"{\"p\":2}"}})"),
    };
    for (const auto& body : variants) {
        Chat chat;
        const auto outcome = chat.streamed(body + finish("tool_calls") + done);
        BOOST_REQUIRE(outcome.status == FOXWEDGE_OK);
        BOOST_TEST(
            to_text(calls_of(outcome.result)) ==
            R"([{"id":"a","name":"read","arguments":{"p":1}},{"id":"b","name":"read","arguments":{"p":2}}])");
        BOOST_TEST(outcome.result.string("stop") == "tool_use");
    }
}

BOOST_AUTO_TEST_CASE(a_doubtful_merge_is_not_repaired) {
    Chat chat;
    const auto outcome = chat.streamed(
        call_piece(R"({"index":0,"function":{"name":"read","arguments":"{\"p\":1}"}})") +
        call_piece(R"({"index":0,"function":{"arguments":"{\"p\":2}"}})") + finish("tool_calls"));
    BOOST_REQUIRE(outcome.status == FOXWEDGE_OK);
    // No JSON object: the host gives it back to the model, nothing runs.
    BOOST_TEST(outcome.result.array("content")[0].string("arguments") == R"({"p":1}{"p":2})");
}

// B30: ids that collide on the wire are rewritten, the same way in call and result.
BOOST_AUTO_TEST_CASE(repeated_and_missing_ids_are_told_apart) {
    Chat chat;
    auto request = Rig::question();
    Value messages = request["messages"];
    const auto round = [&](std::string_view id, std::string_view answer) {
        messages.push(object(
            {{"role", "assistant"},
             {"content",
              array({object(
                  {{"type", "tool_call"}, {"id", id}, {"name", "look"}, {"arguments", ""}})})}}));
        messages.push(
            object({{"role", "tool"},
                    {"content", array({object({{"type", "tool_result"},
                                               {"callId", id},
                                               {"name", "look"},
                                               {"content", array({block("text", answer)})}})})}}));
    };
    round("look_0", "one");
    round("look_0", "two");
    round("", "three");
    round("~0", "four");
    round("fine", "five");
    request.set("messages", messages);
    chat.answer_stream(delta(R"({"content":"ok"})") + finish("stop"));
    BOOST_REQUIRE(chat.generate(request).status == FOXWEDGE_OK);
    const auto sent = chat.sent().array("messages");
    std::vector<std::string> calls, results;
    for (const auto& message : sent) {
        for (const auto& call : message.array("tool_calls")) calls.emplace_back(call.string("id"));
        if (message.string("role") == "tool") results.emplace_back(message.string("tool_call_id"));
    }
    BOOST_TEST(calls == results, boost::test_tools::per_element());
    BOOST_TEST(calls == (std::vector<std::string>{"look_0", "fw_2", "fw_3", "fw_4", "fine"}),
               boost::test_tools::per_element());
    // B28: replayed as {}.
    BOOST_TEST(sent[1].array("tool_calls")[0]["function"].string("arguments") == "{}");
}

// B31: what is no object was not run, and the vendor gets one all the same.
BOOST_AUTO_TEST_CASE(broken_arguments_in_the_history_do_not_stop_the_conversation) {
    for (auto arguments : {R"({"path":"/srv/a)", "null", "[1]", "\"x\"", "3", R"("{\"a\":1}")"}) {
        Chat chat;
        auto request = Rig::question();
        Value messages = request["messages"];
        messages.push(object({{"role", "assistant"},
                              {"content", array({object({{"type", "tool_call"},
                                                         {"id", "c"},
                                                         {"name", "look"},
                                                         {"arguments", arguments}})})}}));
        request.set("messages", messages);
        chat.answer_stream(delta(R"({"content":"ok"})") + finish("stop"));
        BOOST_REQUIRE(chat.generate(request).status == FOXWEDGE_OK);
        const auto sent =
            Value::parse(chat.sent().array("messages")[1].array("tool_calls")[0]["function"].string(
                "arguments"));
        BOOST_TEST(sent.string("invalid_arguments") == arguments);
    }
}

// B32: a cut call is marked as cut, even if its text parses.
BOOST_AUTO_TEST_CASE(a_call_that_was_cut_is_never_a_tool_use) {
    for (auto arguments : {R"({\"path\":\"notes.md\",\"con)", R"({\"path\":\"notes.md\"})"}) {
        Chat chat;
        const auto outcome = chat.streamed(
            call_piece(R"({"index":0,"id":"a","function":{"name":"write","arguments":")" +
                       std::string(arguments) + "\"}}") +
            finish("length") + done);
        BOOST_REQUIRE(outcome.status == FOXWEDGE_OK);
        BOOST_TEST(outcome.result.string("stop") == "length");
    }
}

// B34: no finish reason, no answer; no [DONE] is fine.
BOOST_AUTO_TEST_CASE(a_stream_without_its_end_is_no_answer) {
    Chat chat;
    const auto cut = chat.streamed(delta(R"({"content":"half"})") + delta(R"({"content":" an"})"));
    BOOST_TEST(cut.code == "connection_lost");
    BOOST_TEST(cut.status == FOXWEDGE_E_UNKNOWN);
    BOOST_TEST(cut.message.find("closed the stream") != std::string::npos);
    BOOST_TEST(chat.streamed(delta(R"({"content":"whole"})") + finish("stop")).status ==
               FOXWEDGE_OK);
    BOOST_TEST(chat.streamed(delta(R"({"content":"whole"})") + done).status == FOXWEDGE_OK);
    chat.host.response_status = FOXWEDGE_E_UNKNOWN; // a reset
    const auto reset = chat.streamed(delta(R"({"content":"half"})"));
    BOOST_TEST(reset.status == FOXWEDGE_E_UNKNOWN);
    BOOST_TEST(reset.code.empty()); // the host's own words: told apart from a clean close
}

// B35: Retry-After in all its spellings.
BOOST_AUTO_TEST_CASE(the_wait_that_a_provider_asks_for_is_read) {
    const std::pair<const char*, std::int64_t> table[] = {
        {"7", 7000},
        {"0", 0},
        {"1.5", 1500},
        {"99999", 300000},
        {"-5", -1},
        {"abc", -1},
        {"5, 9", -1},
        {"", -1},
        {"Wed, 21 Oct 2026 07:28:00 GMT", 20000},
        {"Wednesday, 21-Oct-26 07:28:00 GMT", 20000},
        {"Wed Oct 21 07:28:00 2026", 20000},
        {"Wed, 21 Oct 2026 07:00:00 GMT", 0},
        {"inf", -1},
    };
    for (const auto& [value, wait] : table) {
        Chat chat;
        chat.answer(429, "application/json",
                    R"({"error":{"message":"slow down","type":"rate_limit_error"}})");
        chat.header("retry-after", value);
        chat.header("date", "Wed, 21 Oct 2026 07:27:40 GMT");
        const auto outcome = chat.ask();
        BOOST_TEST(outcome.code == "rate_limited");
        BOOST_TEST(outcome.status == FOXWEDGE_E_TRANSIENT);
        BOOST_TEST(outcome.details.integer("retryAfterMs", -1) == wait, value);
        BOOST_TEST(outcome.details.integer("httpStatus", 0) == 429);
    }
}

// B36: empty and null lists of choices.
BOOST_AUTO_TEST_CASE(odd_pieces_at_the_end_do_no_harm) {
    Chat chat;
    const auto outcome = chat.streamed(
        delta(R"({"content":"hi"})") + finish("stop") +
        event(
            R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":3}}})") +
        event(R"({"choices":null})") + event("null") + event(R"({"usage":null})") + done);
    BOOST_REQUIRE(outcome.status == FOXWEDGE_OK);
    BOOST_TEST(to_text(outcome.result["usage"]) ==
               R"({"input":5,"output":2,"cacheRead":4,"cacheWrite":3,"reasoning":0})");
    const auto silent = chat.streamed(delta(R"({"content":"hi"})") + finish("stop"));
    BOOST_TEST(!has(silent.result, "usage")); // unknown, not 0
}

BOOST_AUTO_TEST_CASE(refusals_have_a_class) {
    const std::tuple<int, const char*, const char*, foxwedge_status> table[] = {
        {400, R"({"error":{"message":"bad","type":"invalid_request_error"}})", "invalid_request",
         FOXWEDGE_E_INVALID},
        {400, R"({"error":{"message":"too long","code":"context_length_exceeded"}})",
         "context_window_exceeded", FOXWEDGE_E_INVALID},
        {401, R"({"error":{"message":"no key"}})", "unauthorized", FOXWEDGE_E_INVALID},
        {403, "<html>forbidden</html>", "unauthorized", FOXWEDGE_E_INVALID},
        {404, R"({"error":{"message":"no such model","code":"model_not_found"}})",
         "invalid_request", FOXWEDGE_E_INVALID},
        {429, R"({"error":{"message":"quota","type":"insufficient_quota"}})", "unauthorized",
         FOXWEDGE_E_INVALID},
        {429, "slow", "rate_limited", FOXWEDGE_E_TRANSIENT},
        {500, R"({"error":{"message":"oops","type":"server_error"}})", "server_error",
         FOXWEDGE_E_UNKNOWN},
        {502, "<html>bad gateway</html>", "server_error", FOXWEDGE_E_UNKNOWN},
        {503, "", "overloaded", FOXWEDGE_E_TRANSIENT},
        {504, "", "timeout", FOXWEDGE_E_UNKNOWN},
        {529, R"({"error":{"type":"overloaded_error","message":"busy"}})", "overloaded",
         FOXWEDGE_E_TRANSIENT},
        {400, R"(["unexpected"])", "invalid_request", FOXWEDGE_E_INVALID},
        {400, R"({"message":"plain","type":"x"})", "invalid_request", FOXWEDGE_E_INVALID},
        {422, R"({"error":"a text"})", "invalid_request", FOXWEDGE_E_INVALID},
    };
    for (const auto& [http, body, code, status] : table) {
        Chat chat;
        chat.answer(http, "application/json", body);
        const auto outcome = chat.ask();
        BOOST_TEST(outcome.code == code, http << " " << body);
        BOOST_TEST(outcome.status == status, http << " " << body);
        BOOST_TEST(!outcome.message.empty());
    }
}

// B71: an error body is cut before anyone keeps it.
BOOST_AUTO_TEST_CASE(a_long_error_body_is_cut_between_characters) {
    Chat chat;
    std::string page;
    for (int i = 0; i < 2000; ++i) page += "é";
    chat.answer(400, "text/html", "x" + page);
    const auto outcome = chat.ask();
    BOOST_TEST(outcome.message.size() <= 2048U + 3);
    BOOST_TEST(outcome.message.rfind("é…") == outcome.message.size() - 5);
}

BOOST_AUTO_TEST_CASE(a_200_that_is_no_answer_is_a_lost_connection) {
    for (auto body : {"", "<html>login</html>", "{}", R"({"choices":3})"}) {
        Chat chat;
        chat.answer_json(body);
        const auto outcome = chat.ask();
        BOOST_TEST(outcome.status == FOXWEDGE_E_UNKNOWN, body);
        BOOST_TEST(outcome.code == "connection_lost", body);
    }
}

BOOST_AUTO_TEST_CASE(an_empty_answer_is_asked_again) {
    Chat chat;
    const auto outcome = chat.streamed(finish("stop") + done);
    BOOST_TEST(outcome.code == "empty_response");
    BOOST_TEST(outcome.status == FOXWEDGE_E_TRANSIENT);
}

BOOST_AUTO_TEST_CASE(reasoning_goes_back_under_the_name_it_came_with) {
    for (std::string field : {"reasoning_content", "reasoning"}) {
        Chat chat(object({{"baseUrl", "http://127.0.0.1:9/v1"}}));
        const auto first = chat.streamed(
            delta(
                "{\"" + field +
                R"(":"hm","reasoning_details":[{"index":0,"type":"reasoning.text","text":"h"}]})") +
            delta(
                R"({"content":"so","reasoning_details":[{"index":0,"type":"reasoning.text","text":"m","signature":"s"}]})") +
            finish("stop"));
        BOOST_REQUIRE(first.status == FOXWEDGE_OK);
        BOOST_TEST(text_of(first.result, "reasoning") == "hm");
        auto request = Rig::question();
        Value messages = request["messages"];
        messages.push(object({{"role", "assistant"}, {"content", first.result["content"]}}));
        request.set("messages", messages);
        chat.answer_stream(delta(R"({"content":"ok"})") + finish("stop"));
        BOOST_REQUIRE(chat.generate(request).status == FOXWEDGE_OK);
        const auto sent = chat.sent().array("messages")[1];
        BOOST_TEST(sent.string(field) == "hm");
        BOOST_TEST(to_text(sent["reasoning_details"]) ==
                   R"([{"index":0,"type":"reasoning.text","text":"hm","signature":"s"}])");
        BOOST_TEST(sent.string("content") == "so");
    }
}

BOOST_AUTO_TEST_CASE(a_history_of_tools_is_sent_as_the_vendors_sdk_sends_it) {
    const auto found = recordings({"openai-chat-completions-run-stream-sync-streams-real-model-1"});
    if (found.empty()) return;
    const auto& theirs = found[0].exchange["request"]["body"];
    const auto& messages = theirs.array("messages");
    const auto& call = messages[1].array("tool_calls")[0];
    Chat chat;
    play(chat, found[0]);
    auto request = Rig::question(theirs.string("model"));
    request.set(
        "messages",
        array(
            {object({{"role", "user"},
                     {"content", array({block("text", messages[0].string("content"))})}}),
             object({{"role", "assistant"},
                     {"content",
                      array({object({{"type", "tool_call"},
                                     {"id", call.string("id")},
                                     {"name", call["function"].string("name")},
                                     {"arguments", call["function"].string("arguments")}})})}}),
             object({{"role", "tool"},
                     {"content",
                      array({object({{"type", "tool_result"},
                                     {"callId", call.string("id")},
                                     {"content", array({block("text", messages[2].string(
                                                                          "content"))})}})})}})}));
    const auto& function = theirs.array("tools")[0]["function"];
    request.set("tools", array({object({{"name", function.string("name")},
                                        {"description", ""},
                                        {"inputSchema", function["parameters"]}})}));
    BOOST_REQUIRE(chat.generate(request).status == FOXWEDGE_OK);
    const auto sent = chat.sent();
    BOOST_TEST((sent["messages"] == theirs["messages"]));
    BOOST_TEST((sent["stream_options"] == theirs["stream_options"]));
    BOOST_TEST((sent.array("tools")[0]["function"]["parameters"] == function["parameters"]));
}

BOOST_AUTO_TEST_CASE(limits_shapes_and_choices_are_written_as_the_address_wants) {
    auto request = Rig::question();
    request.set("system", "Be brief.");
    request.set("maxTokens", 100);
    request.set("temperature", 0.25);
    request.set("tools",
                array({object({{"name", "a"}, {"description", "d"}, {"inputSchema", object()}})}));
    request.set("toolChoice", object({{"name", "a"}}));
    request.set(
        "output",
        object(
            {{"name", "my shape"},
             {"schema",
              Value::parse(
                  R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false})")}}));
    request.set("options", object({{"seed", 7}}));
    const auto sent = [&](const Value& config) {
        Chat chat(config);
        chat.answer_stream(delta(R"({"content":"ok"})") + finish("stop"));
        BOOST_REQUIRE(chat.generate(request).status == FOXWEDGE_OK);
        auto out = object({{"body", chat.sent()}});
        out.set("request", chat.host.requests.back());
        return out;
    };
    const auto home = sent(object());
    BOOST_TEST(home["body"].integer("max_completion_tokens", 0) == 100);
    BOOST_TEST(home["body"]["tool_choice"]["function"].string("name") == "a");
    BOOST_TEST(home["body"]["response_format"]["json_schema"].string("name") == "my_shape");
    BOOST_TEST(home["body"]["response_format"]["json_schema"].boolean("strict", false));
    BOOST_TEST(home["body"].integer("seed", 0) == 7);
    BOOST_TEST(home["body"].array("messages")[0].string("role") == "system");
    BOOST_TEST(home["body"].array("tools")[0]["function"]["parameters"].string("type") == "object");
    BOOST_TEST(to_text(home["request"]["headers"]["authorization"]) ==
               R"({"secret":"OPENAI_API_KEY","prefix":"Bearer "})");
    BOOST_TEST(home["request"].string("url") == "https://api.openai.com/v1/chat/completions");

    const auto azure = sent(object({{"baseUrl", "https://x.openai.azure.com/openai/deployments/d/"},
                                    {"apiKey", object({{"secret", "AZURE"}})},
                                    {"apiKeyHeader", "api-key"},
                                    {"query", "api-version=2024-10-21"},
                                    {"systemRole", "developer"},
                                    {"streamUsage", false}}));
    BOOST_TEST(
        azure["request"].string("url") ==
        "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21");
    BOOST_TEST(to_text(azure["request"]["headers"]["api-key"]) == R"({"secret":"AZURE"})");
    BOOST_TEST(azure["body"].integer("max_tokens", 0) == 100);
    BOOST_TEST(azure["body"].array("messages")[0].string("role") == "developer");
    BOOST_TEST(!has(azure["body"], "stream_options"));
}

BOOST_AUTO_TEST_CASE(images_of_results_follow_all_results) {
    Chat chat;
    auto request = Rig::question();
    const auto result = [&](std::string_view id) {
        return object(
            {{"role", "tool"},
             {"content", array({object({{"type", "tool_result"},
                                        {"callId", id},
                                        {"content", array({block("text", "see"),
                                                           object({{"type", "image"},
                                                                   {"mimeType", "image/png"},
                                                                   {"data", "QUJD"}})})}})})}});
    };
    const auto call = [&](std::string_view id) {
        return object({{"type", "tool_call"}, {"id", id}, {"name", "shot"}, {"arguments", "{}"}});
    };
    request.set("messages",
                array({object({{"role", "user"}, {"content", array({block("text", "look")})}}),
                       object({{"role", "assistant"}, {"content", array({call("a"), call("b")})}}),
                       result("a"), result("b")}));
    chat.answer_stream(delta(R"({"content":"ok"})") + finish("stop"));
    BOOST_REQUIRE(chat.generate(request).status == FOXWEDGE_OK);
    const auto sent = chat.sent().array("messages");
    BOOST_REQUIRE(sent.size() == 5U);
    BOOST_TEST(sent[2].string("role") == "tool");
    BOOST_TEST(sent[3].string("role") == "tool");
    BOOST_TEST(sent[4].array("content").size() == 2U);
    BOOST_TEST(sent[4].array("content")[0]["image_url"].string("url") ==
               "data:image/png;base64,QUJD");
}

BOOST_AUTO_TEST_SUITE_END()
