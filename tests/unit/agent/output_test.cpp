// Answers in a shape, budgets, and tool calls as text.
#include <boost/test/unit_test.hpp>

#include "agent/budget/ledger.hpp"
#include "agent/rendering.hpp"
#include "fixture.hpp"

using namespace foxwedge;
using namespace foxwedge::agent;
using run::Ended;

namespace {

struct InvoiceBench : Bench {
    explicit InvoiceBench(StructuredOutput can, const char* mode = "native") {
        model->traits.structured_output = can;
        agent.options.output_mode = mode;
        agent.options.output = *parse_json(
            R"({"type":"object","properties":{"total":{"type":"number"}},"required":["total"]})");
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(output)

BOOST_AUTO_TEST_CASE(the_answer_comes_back_parsed) {
    InvoiceBench bench(StructuredOutput::always);
    bench.model->say(says(R"({"total": 12.5})"));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(final_of(finished) == R"({"total":12.5})");
    BOOST_TEST(!bench.model->requests()[0].output.is_null());
}

BOOST_AUTO_TEST_CASE(a_provider_that_cannot_constrain_is_refused_before_the_first_call) {
    InvoiceBench bench(StructuredOutput::none);
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::failed));
    BOOST_TEST(finished.error->code == "output_unsupported");
    BOOST_TEST(bench.model->generated == 0);
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_no_json_is_sampled_again) {
    InvoiceBench bench(StructuredOutput::always);
    auto first = std::make_shared<std::atomic<bool>>(true);
    bench.model->lines.push_back([first](const GenerateRequest&) -> Result<Generated> {
        return says(first->exchange(false) ? "Sure! 12" : R"({"total":12})");
    });
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(bench.model->generated == 2);
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_never_json_fails_loudly) {
    InvoiceBench bench(StructuredOutput::always);
    bench.model->say(says("Sure! 12"));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::failed));
    BOOST_TEST(finished.error->code == "output_not_json");
}

BOOST_AUTO_TEST_CASE(a_value_that_breaks_its_schema_is_repaired_once) {
    InvoiceBench bench(StructuredOutput::always);
    bench.model->say(says(R"({"sum":12})"));
    bench.model->say(says(R"({"total":12})"));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(final_of(finished) == R"({"total":12})");
    BOOST_TEST(bench.record("a:iter:0:repair:0").has_value());
    BOOST_TEST(*integer_member(*parse_json(finished.outcome.value_json), "iterations") == 2);
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(a_value_that_stays_broken_fails_loudly) {
    InvoiceBench bench(StructuredOutput::always);
    bench.model->say(says(R"({"sum":12})"));
    bench.model->say(says(R"({"sum":12})"));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::failed));
    BOOST_TEST(finished.error->code == "output_invalid");
}

BOOST_AUTO_TEST_CASE(in_tool_mode_the_value_is_the_arguments_of_a_forced_tool) {
    InvoiceBench bench(StructuredOutput::none, "tool");
    bench.own("items", "3 items");
    bench.model->say(calls({call_block("c1", "items", "{}")}));
    bench.model->say(calls({call_block("c2", "structured_output", R"({"total":3})")}));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(final_of(finished) == R"({"total":3})");
    BOOST_TEST(to_text(bench.model->requests()[0].tool_choice) == R"("required")");
}

BOOST_AUTO_TEST_CASE(a_value_given_beside_other_calls_is_not_taken) {
    InvoiceBench bench(StructuredOutput::none, "tool");
    bench.own("items", "3 items");
    bench.model->say(calls({call_block("c1", "items", "{}"),
                            call_block("c2", "structured_output", R"({"total":0})")}));
    bench.model->say(calls({call_block("c3", "structured_output", R"({"total":3})")}));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(final_of(finished) == R"({"total":3})");
}

BOOST_AUTO_TEST_CASE(a_provider_that_constrains_only_without_tools_is_asked_at_the_end) {
    InvoiceBench bench(StructuredOutput::final_);
    bench.own("items", "3 items");
    bench.model->say(calls({call_block("c1", "items", "{}")}));
    bench.model->say(says("It is 3."));
    bench.model->say(says(R"({"total":3})"));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(final_of(finished) == R"({"total":3})");
    const auto requests = bench.model->requests();
    BOOST_TEST(requests[0].output.is_null());
    BOOST_TEST(requests[2].tools.empty());
    BOOST_TEST(!requests[2].output.is_null());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(budgets)

BOOST_AUTO_TEST_CASE(each_limit_is_reached_by_its_own_count) {
    Spent spent;
    spent.usage.input = 60;
    spent.usage.cache_read = 40;
    spent.usage.output = 10;
    spent.usd = 0.5;
    spent.tool_calls = 3;
    spent.active = Millis(1'000);
    const auto used = [&](auto member, auto value, bool call_of_tool = true) {
        Budget budget;
        budget.*member = value;
        return used_up(budget, spent, call_of_tool).value_or("");
    };
    BOOST_TEST(used(&Budget::input_tokens, 100) == "inputTokens: 100 of 100");
    BOOST_TEST(used(&Budget::input_tokens, 101) == "");
    BOOST_TEST(used(&Budget::output_tokens, 10) == "outputTokens: 10 of 10");
    BOOST_TEST(used(&Budget::total_tokens, 110) == "totalTokens: 110 of 110");
    BOOST_TEST(used(&Budget::total_tokens, 111) == "");
    BOOST_TEST(used(&Budget::usd, 0.5) == "usd: 0.5 of 0.5");
    BOOST_TEST(used(&Budget::usd, 0.6) == "");
    BOOST_TEST(used(&Budget::wall_time, Millis(900)) == "wallTime: 1s of 900ms");
    BOOST_TEST(used(&Budget::wall_time, Millis(1'001)) == "");
    BOOST_TEST(used(&Budget::tool_calls, 3) == "toolCalls: 3 of 3");
    BOOST_TEST(used(&Budget::tool_calls, 3, false) == ""); // a model may still answer
    BOOST_TEST(!used_up(Budget(), spent, true));
}

BOOST_AUTO_TEST_CASE(a_call_that_would_pass_the_budget_is_refused) {
    Bench bench;
    bench.own("look", "x");
    bench.agent.options.budget.emplace();
    bench.agent.options.budget->total_tokens = 20;
    for (int i = 0; i < 5; ++i) bench.model->say(calls({call_block("c", "look", "{}")}));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(stop_reason_of(finished) == "budget");
    BOOST_TEST(bench.model->generated == 2); // 15 tokens each: the second was under way
}

BOOST_AUTO_TEST_CASE(money_without_a_price_is_an_error_at_the_start) {
    Bench bench;
    bench.agent.options.budget.emplace();
    bench.agent.options.budget->usd = 1;
    const auto finished = bench.execute();
    BOOST_TEST(finished.error->code == "missing_price");
    BOOST_TEST(bench.model->generated == 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(renderings)

BOOST_AUTO_TEST_CASE(fences_are_calls_in_their_order_and_the_rest_is_text) {
    auto blocks = calls_in_text({text_block(
        "Let me look.\n```tool_call\n{\"name\":\"look\",\"arguments\":{\"a\":1}}\n```\nAnd\n"
        "````tool_call\n{\"name\":\"see\"}\n````\nDone.\n```json\n{}\n```")});
    BOOST_REQUIRE(blocks.size() == 5u);
    BOOST_TEST(blocks[0].text == "Let me look.");
    BOOST_TEST(blocks[1].name == "look");
    BOOST_TEST(blocks[1].arguments == R"({"a":1})");
    BOOST_TEST(blocks[2].text == "And");
    BOOST_TEST(blocks[3].name == "see");
    BOOST_TEST(blocks[4].text == "Done.\n```json\n{}\n```");
}

BOOST_AUTO_TEST_CASE(a_broken_fence_is_a_call_that_cannot_be_read) {
    for (const char* body : {"{", "[]", "{\"name\":7}", "{\"name\":\"x\",\"arguments\":[1]}"}) {
        auto blocks = calls_in_text({text_block(std::string("```tool_call\n") + body + "\n```")});
        BOOST_REQUIRE(blocks.size() == 1u);
        BOOST_TEST(blocks[0].name == unreadable_call);
    }
    BOOST_TEST(calls_in_text({text_block("```tool_call\n{\"name\":\"x\"}")})[0].name == "x");
}

BOOST_AUTO_TEST_CASE(what_is_rendered_is_read_back) {
    Message message{Role::assistant, {call_block("c", "look", R"({"text":"``` \n```tool_call"})")}};
    const Message text = as_text(message);
    auto blocks = calls_in_text(text.content);
    BOOST_REQUIRE(blocks.size() == 1u);
    BOOST_TEST(blocks[0].name == "look");
    BOOST_TEST(canonical_text(*parse_json(blocks[0].arguments)) ==
               canonical_text(*parse_json(message.content[0].arguments)));
}

BOOST_AUTO_TEST_CASE(an_agent_works_on_a_provider_without_tool_calls) {
    Bench bench;
    bench.own("look", "found");
    bench.model->traits.native_transcript = false;
    bench.model->traits.tools = false;
    bench.model->say(says("```tool_call\n{\"name\":\"look\",\"arguments\":{}}\n```"));
    bench.model->say(says("done"));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    const auto request = bench.model->requests().back();
    BOOST_TEST(request.tools.empty());
    BOOST_TEST(request.system.find("look") != std::string::npos);
    BOOST_TEST(text_of(request.messages.back().content).find("found") != std::string::npos);
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_SUITE_END()
