#include <boost/test/unit_test.hpp>

#include "contracts/message.hpp"
#include "contracts/provider.hpp"
#include "parsed.hpp"

using namespace foxwedge;

BOOST_AUTO_TEST_SUITE(messages)

BOOST_AUTO_TEST_CASE(every_block_type_is_written_as_it_was_read) {
    const char* texts[] = {
        R"({"type":"text","text":"hello"})",
        R"({"type":"reasoning","text":"why","opaque":{"format":"f","model":"m","signature":"s"}})",
        R"({"type":"tool_call","id":"c1","name":"look","arguments":"{\"a\":1}"})",
        R"({"type":"tool_result","callId":"c1","name":"look","isError":true,"content":[{"type":"text","text":"no"}]})",
        R"({"type":"image","mimeType":"image/png","data":"aGk="})",
        R"({"type":"resource_link","uri":"file:///a","name":"a"})",
    };
    for (const char* text : texts) {
        auto block = block_from_json(parsed(text));
        BOOST_REQUIRE_MESSAGE(block.ok(), text);
        BOOST_TEST(canonical_text(to_json(*block)) == canonical_text(parsed(text)));
    }
}

BOOST_AUTO_TEST_CASE(a_call_without_id_or_arguments_is_still_a_call) {
    auto block = block_from_json(parsed(R"({"type":"tool_call","name":"clock"})"));
    BOOST_REQUIRE(block.ok());
    BOOST_TEST(block->call_id.empty());
    BOOST_TEST(block->arguments.empty());
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_named_by_a_pointer) {
    struct {
        const char* text;
        const char* pointer;
    } cases[] = {
        {R"([{"role":"system","content":[]}])", "/0/role"},
        {R"([{"role":"user","content":"text"}])", "/0/content"},
        {R"([{"role":"user","content":[{"type":"video"}]}])", "/0/content/0/type"},
        {R"([{"role":"user","content":[{"type":"text"}]}])", "/0/content/0/text"},
        {R"([{"role":"tool","content":[{"type":"tool_result","content":[]}]}])",
         "/0/content/0/callId"},
        {R"([{"role":"tool","content":[{"type":"tool_result","callId":"a","content":[{"type":1}]}]}])",
         "/0/content/0/content/0/type"},
    };
    for (const auto& one : cases) {
        auto read = messages_from_json(parsed(one.text));
        BOOST_REQUIRE_MESSAGE(!read.ok(), one.text);
        BOOST_TEST(read.error().code == "invalid_message");
        BOOST_TEST(*string_member(parsed(read.error().details), "pointer") == one.pointer);
    }
}

BOOST_AUTO_TEST_CASE(usage_adds_up_and_remembers_that_some_was_estimated) {
    Usage sum = usage_from_json(parsed(R"({"input":10,"output":2,"cacheRead":5})"));
    Usage more;
    more.input = 1;
    more.estimated = true;
    sum += more;
    BOOST_TEST(sum.input == 11);
    BOOST_TEST(sum.cache_read == 5);
    BOOST_TEST(usage_from_json(to_json(sum)).estimated);
}

BOOST_AUTO_TEST_CASE(a_count_below_zero_counts_as_not_reported) {
    BOOST_TEST(usage_from_json(parsed(R"({"input":-4,"output":"x"})")).input == 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(providers)

BOOST_AUTO_TEST_CASE(a_request_is_read_back_as_it_was_written) {
    GenerateRequest request;
    request.model = "m";
    request.system = "be brief";
    request.messages = {{Role::user, {text_block("hi")}}};
    request.tools = {{"look", "looks", JsonObject{{"type", "object"}}}};
    request.output = JsonObject{{"schema", JsonObject()}, {"name", "answer"}};
    request.max_tokens = 100;
    request.temperature = 0.5;
    request.idempotency_key = "r/s";
    auto again = generate_request_from_json(to_json(request));
    BOOST_REQUIRE(again.ok());
    BOOST_TEST(canonical_text(to_json(*again)) == canonical_text(to_json(request)));
}

BOOST_AUTO_TEST_CASE(an_answer_with_an_unknown_reason_to_stop_is_refused) {
    auto read = generated_from_json(parsed(R"({"content":[],"stop":"because"})"));
    BOOST_REQUIRE(!read.ok());
    BOOST_TEST(read.error().code == "invalid_response");
}

BOOST_AUTO_TEST_CASE(traits_default_to_a_native_transcript_and_no_structured_output) {
    auto traits = provider_traits_from_json(parsed("{}"));
    BOOST_REQUIRE(traits.ok());
    BOOST_TEST(traits->native_transcript);
    BOOST_CHECK(traits->structured_output == StructuredOutput::none);
    BOOST_TEST(!provider_traits_from_json(parsed(R"({"structuredOutput":"maybe"})")).ok());
}

BOOST_AUTO_TEST_SUITE_END()
