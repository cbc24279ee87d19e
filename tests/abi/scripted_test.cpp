#define BOOST_TEST_MODULE provider_scripted
#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "plugin_host/plugin.hpp"

using foxwedge::plugin::object;
using foxwedge::plugin::Value;
using plugin_host::Host;
using plugin_host::Outcome;
using plugin_host::Plugin;

namespace {

struct Fixture {
    Host host;
    Plugin plugin{host, FOXWEDGE_PLUGIN_FILE};
    std::unique_ptr<plugin_host::Instance> model;

    void script(const char* config) { model = plugin.create("scripted", Value::parse(config)); }
    Outcome ask(const char* messages, const char* more = "{}") {
        Value request = Value::parse(more);
        request.set("messages", Value::parse(messages));
        return model->generate(request);
    }
};

constexpr auto hello = R"([{"role":"user","content":[{"type":"text","text":"hello there"}]}])";
constexpr auto looked_up = R"([
    {"role":"user","content":[{"type":"text","text":"where is \"my\" order {7}?"}]},
    {"role":"assistant","content":[{"type":"tool_call","id":"a","name":"order","arguments":"{}"}]},
    {"role":"tool","content":[{"type":"tool_result","callId":"a","name":"order","isError":false,
      "content":[{"type":"text","text":"{\"status\":\"sent\",\"items\":[{\"id\":7}]}"}]}]}])";

std::string_view text_of(const Outcome& outcome) {
    return outcome.result.array("content").at(0).string("text");
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(the_scripted_provider, Fixture)

BOOST_AUTO_TEST_CASE(answers_each_turn_in_order) {
    script(R"({"turns":[{"toolCalls":[{"name":"order","arguments":{"id":7}}]},{"text":"sent"}]})");
    const auto first = ask(hello, R"({"model":"m-1"})");
    BOOST_TEST(first.result.string("stop") == "tool_use");
    BOOST_TEST(first.result.string("model") == "m-1");
    const auto& call = first.result.array("content").at(0);
    BOOST_TEST(call.string("id") == "call_0_0");
    BOOST_TEST(call.string("arguments") == R"({"id":7})");
    const auto second = ask(looked_up);
    BOOST_TEST(text_of(second) == "sent");
    BOOST_TEST(second.result.string("stop") == "end");
}

BOOST_AUTO_TEST_CASE(gives_the_same_answer_to_the_same_request) {
    script(R"({"default":{"text":"again","reasoning":"hm"}})");
    BOOST_TEST(to_text(ask(hello).result) == to_text(ask(hello).result));
}

BOOST_AUTO_TEST_CASE(takes_the_first_rule_that_holds) {
    script(R"({"rules":[
        {"when":{"user":"order","afterTool":false},"answer":{"text":"not yet"}},
        {"when":{"tool":"order","result":"sent","isError":false},"answer":{"text":"on its way"}},
        {"when":{"turn":{"from":1,"below":3}},"answer":{"text":"late"}}],
        "default":{"text":"what?"}})");
    BOOST_TEST(text_of(ask(looked_up)) == "on its way");
    BOOST_TEST(text_of(ask(hello)) == "what?");
}

BOOST_AUTO_TEST_CASE(sees_model_system_tools_and_output) {
    script(R"({"rules":[
        {"when":{"offers":"refund"},"answer":{"text":"refund"}},
        {"when":{"model":"big"},"answer":{"text":"big"}},
        {"when":{"system":"polite"},"answer":{"text":"polite"}},
        {"when":{"output":true},"answer":{"output":{"ok":true}}}],"default":{"text":"none"}})");
    BOOST_TEST(text_of(ask(hello, R"({"tools":[{"description":"x","name":"refund"}]})")) ==
               "refund");
    BOOST_TEST(text_of(ask(hello, R"({"tools":[{"name":"other"}],"model":"big"})")) == "big");
    BOOST_TEST(text_of(ask(hello, R"({"system":"be polite"})")) == "polite");
    BOOST_TEST(text_of(ask(hello, R"({"output":{"schema":{},"name":"x"}})")) == R"({"ok":true})");
    BOOST_TEST(text_of(ask(hello, R"({"output":null})")) == "none");
}

BOOST_AUTO_TEST_CASE(fills_blanks_from_the_request) {
    script(R"({"default":{"text":"{{user}} turn {{turn}}: {{result:/status}} {{unknown}}",
        "toolCalls":[{"name":"refund","arguments":{"order":"{{result:/items/0/id}}"}}]}})");
    const auto answer = ask(looked_up);
    BOOST_TEST(text_of(answer) == "where is \"my\" order {7}? turn 1: sent {{unknown}}");
    BOOST_TEST(answer.result.array("content").at(1).string("arguments") == R"({"order":"7"})");
}

BOOST_AUTO_TEST_CASE(streams_pieces_of_whole_characters_and_then_the_usage) {
    script(R"({"default":{"text":"añ€😀b","chunk":2,"usage":{"input":11,"reasoning":3}}})");
    const auto answer = ask(hello);
    BOOST_REQUIRE(answer.events.size() == 4u);
    BOOST_TEST(answer.events[0].payload.string("text") == "añ");
    BOOST_TEST(answer.events[1].payload.string("text") == "€😀");
    BOOST_TEST(answer.events[2].payload.string("text") == "b");
    BOOST_TEST(answer.events[3].number == FOXWEDGE_EVENT_USAGE);
    BOOST_TEST(answer.result["usage"].integer("input", 0) == 11);
    BOOST_TEST(answer.result["usage"].integer("reasoning", 0) == 3);
    BOOST_TEST(answer.result["usage"].integer("cacheRead", -1) == 0);
}

BOOST_AUTO_TEST_CASE(streams_nothing_when_told_so) {
    script(R"({"stream":false,"default":{"text":"x"}})");
    BOOST_TEST(ask(hello).events.empty());
}

BOOST_AUTO_TEST_CASE(fails_as_a_real_adapter_would) {
    script(R"({"turns":[{"text":"cut o","error":{"code":"connection_lost"}},
        {"error":{"code":"rate_limited","retryAfterMs":1500,"httpStatus":429}}]})");
    const auto cut = ask(hello);
    BOOST_TEST(cut.status == FOXWEDGE_E_UNKNOWN);
    BOOST_TEST(cut.events.size() == 1u);
    const auto limited = ask(looked_up);
    BOOST_TEST(limited.status == FOXWEDGE_E_TRANSIENT);
    BOOST_TEST(limited.code == "rate_limited");
    BOOST_TEST(limited.details.integer("retryAfterMs", 0) == 1500);
}

BOOST_AUTO_TEST_CASE(can_fail_the_first_attempts_of_a_step_only) {
    script(R"({"default":{"text":"at last","error":{"code":"overloaded","times":2}}})");
    BOOST_TEST(ask(hello).status == FOXWEDGE_E_TRANSIENT);
    BOOST_TEST(ask(hello).status == FOXWEDGE_E_TRANSIENT);
    BOOST_TEST(text_of(ask(hello)) == "at last");
}

BOOST_AUTO_TEST_CASE(ends_when_the_host_cancels) {
    script(R"({"default":{"text":"abcdef","chunk":1,"chunkDelayMs":60000}})");
    model->cancel_after = 1;
    BOOST_TEST(ask(hello).status == FOXWEDGE_E_CANCELLED);
}

BOOST_AUTO_TEST_CASE(says_so_when_the_script_is_at_its_end) {
    script(R"({"turns":[{"text":"only one"}]})");
    const auto answer = ask(looked_up);
    BOOST_TEST(answer.status == FOXWEDGE_E_INVALID);
    BOOST_TEST(answer.message == "the script has no answer for turn 1");
}

BOOST_AUTO_TEST_CASE(sends_broken_arguments_as_they_are) {
    script(R"({"default":{"toolCalls":[{"name":"x","arguments":"{\"a\":"}]}})");
    BOOST_TEST(ask(hello).result.array("content").at(0).string("arguments") == "{\"a\":");
}

BOOST_AUTO_TEST_CASE(reads_a_script_from_a_text) {
    script(R"({"script":"{\"turns\":[{\"text\":\"from text\"}]}"})");
    BOOST_TEST(text_of(ask(hello)) == "from text");
}

BOOST_AUTO_TEST_CASE(refuses_a_script_that_it_does_not_understand_and_says_where) {
    const auto refusal = [&](const char* config) {
        try {
            script(config);
        } catch (const plugin_host::NotCreated& refused) {
            BOOST_TEST(refused.outcome.status == FOXWEDGE_E_INVALID);
            return std::string(refused.outcome.details.string("pointer"));
        }
        return std::string("not refused");
    };
    BOOST_TEST(refusal(R"({"turns":[{"txt":"x"}]})") == "/turns/0/txt");
    BOOST_TEST(refusal(R"({"rules":[{"when":{"moon":1},"answer":{}}]})") == "/rules/0/when/moon");
    BOOST_TEST(refusal(R"({"script":"{\"turns\":[{\"x\":1}]}"})") == "/script/turns/0/x");
    BOOST_TEST(refusal("{}") == "");
}

BOOST_AUTO_TEST_CASE(describes_itself_as_configured) {
    script(R"({"default":{},"traits":{"structuredOutput":"none"}})");
    const auto traits = model->describe();
    BOOST_TEST(traits.result.string("structuredOutput") == "none");
    BOOST_TEST(traits.result.boolean("streaming", false));
    BOOST_TEST(model->count_tokens(Value::parse(hello)).result.integer("tokens", 0) > 0);
}

BOOST_AUTO_TEST_SUITE_END()
