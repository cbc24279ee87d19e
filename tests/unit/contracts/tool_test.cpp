#include <boost/test/unit_test.hpp>

#include "contracts/context_strategy.hpp"
#include "contracts/guardrail.hpp"
#include "contracts/options.hpp"
#include "contracts/tool.hpp"
#include "parsed.hpp"

using namespace foxwedge;

BOOST_AUTO_TEST_SUITE(tools)

BOOST_AUTO_TEST_CASE(one_malformed_tool_does_not_take_its_neighbours_along) {
    auto list = tool_list_from_json(parsed(
        R"({"tools":[{"name":"a","description":"x"},{"name":"b","inputSchema":7},{"name":"c"}]})"));
    BOOST_REQUIRE(list.ok());
    BOOST_TEST(list->tools.size() == 2u);
    BOOST_REQUIRE(list->dropped.size() == 1u);
    BOOST_TEST(list->dropped[0].name == "b");
    BOOST_TEST(list->dropped[0].reason.find("/tools/1/inputSchema") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_tool_list_is_read_back_as_it_was_written) {
    const Json text = parsed(
        R"({"tools":[{"name":"a","title":"A","description":"d","inputSchema":{"type":"object"},)"
        R"("outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"effect":"once",)"
        R"("parallelSafe":false,"timeoutMs":50}],"sections":[{"id":"s","text":"t"}],)"
        R"("dropped":[{"name":"b","reason":"r"}],"warnings":["w"],"source":{"complete":true}})");
    auto list = tool_list_from_json(text);
    BOOST_REQUIRE(list.ok());
    BOOST_TEST(canonical_text(to_json(*list)) == canonical_text(text));
}

BOOST_AUTO_TEST_CASE(the_effect_follows_from_the_hints_where_none_is_stated) {
    struct {
        const char* hints;
        ToolEffect effect;
    } cases[] = {
        {R"({})", ToolEffect::unstated},
        {R"({"readOnlyHint":true})", ToolEffect::none},
        {R"({"readOnlyHint":true,"destructiveHint":true})", ToolEffect::none},
        {R"({"idempotentHint":true,"destructiveHint":true})", ToolEffect::idempotent},
        {R"({"destructiveHint":true})", ToolEffect::once},
        {R"({"destructiveHint":true,"idempotentHint":false})", ToolEffect::once},
        {R"({"destructiveHint":false})", ToolEffect::unstated},
    };
    for (const auto& one : cases)
        BOOST_CHECK(effect_of(annotations_from_json(parsed(one.hints))) == one.effect);
}

// B15: a server may leave out the content array.
BOOST_AUTO_TEST_CASE(a_result_needs_content_or_structured_content) {
    BOOST_TEST(tool_result_from_json(parsed(R"({"structuredContent":{"total":36}})")).ok());
    BOOST_TEST(tool_result_from_json(parsed(R"({"structuredContent":[1,2]})")).ok());
    BOOST_TEST(!tool_result_from_json(parsed("{}")).ok());
    BOOST_TEST(!tool_result_from_json(parsed("null")).ok());
    BOOST_TEST(!tool_result_from_json(parsed(R"({"content":[{"text":"no type"}]})")).ok());
}

BOOST_AUTO_TEST_CASE(an_error_result_carries_its_code) {
    const ToolResult result = error_result("not_found", "no such order");
    BOOST_TEST(result.is_error);
    BOOST_TEST(to_text(to_json(result)) ==
               R"({"content":[{"type":"text","text":"no such order"}],"isError":true,)"
               R"("details":{"code":"not_found"}})");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(verdicts)

BOOST_AUTO_TEST_CASE(what_is_no_verdict_is_an_error) {
    for (const char* text : {"null", "{}", R"({"action":"permit"})", R"({"action":"replace"})",
                             R"({"action":"deny","violations":"x"})"})
        BOOST_TEST(!guardrail_verdict_from_json(parsed(text)).ok(), text);
}

BOOST_AUTO_TEST_CASE(a_verdict_denies_unless_somebody_opened_it) {
    BOOST_CHECK(GuardrailVerdict().action == GuardrailVerdict::Action::deny);
}

BOOST_AUTO_TEST_CASE(a_verdict_is_read_back_as_it_was_written) {
    const Json text = parsed(R"({"action":"replace","message":"m","value":{"a":1},"risk":"high",)"
                             R"("reason":"r","violations":[{"message":"x"}]})");
    auto verdict = guardrail_verdict_from_json(text);
    BOOST_REQUIRE(verdict.ok());
    BOOST_TEST(canonical_text(to_json(*verdict)) == canonical_text(text));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(rules)

BOOST_AUTO_TEST_CASE(a_rule_is_read_back_as_it_was_written) {
    const Json text = parsed(
        R"({"risk":[{"if":"args.a > 1","level":"high"}],"summary":"Pay ${args.a}",)"
        R"("allow":["approve","respond"],"timeout":"30m","onTimeout":"fail","if":"iteration > 3",)"
        R"("minRisk":"medium","shadow":true})");
    auto rule = approval_rule_from_json(text);
    BOOST_REQUIRE(rule.ok());
    BOOST_TEST(canonical_text(to_json(*rule)) == canonical_text(text));
}

BOOST_AUTO_TEST_CASE(a_mistake_in_a_rule_is_refused_and_named) {
    struct {
        const char* text;
        const char* pointer;
    } cases[] = {
        {R"({"risk":"huge"})", "/risk"},
        {R"({"risk":[{"if":"a"}]})", "/risk/0/level"},
        {R"({"allow":[]})", "/allow"},
        {R"({"allow":["maybe"]})", "/allow/0"},
        {R"({"timeout":30})", "/timeout"},
        {R"({"timeout":"30x"})", "/timeout"},
        {R"({"onTimeout":"wait"})", "/onTimeout"},
        {R"({"minRisk":"no"})", "/minRisk"},
        {R"({"onTimeOut":"fail"})", "/onTimeOut"},
        {R"([])", ""},
    };
    for (const auto& one : cases) {
        auto rule = approval_rule_from_json(parsed(one.text));
        BOOST_REQUIRE_MESSAGE(!rule.ok(), one.text);
        BOOST_TEST(*string_member(parsed(rule.error().details), "pointer") == one.pointer);
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(plans)

BOOST_AUTO_TEST_CASE(a_plan_is_read_back_as_it_was_written) {
    const Json text = parsed(R"({"keepFrom":9,"pinned":[0],"summarize":{"from":0,"to":9,)"
                             R"("maxTokens":512,"instructions":"i"},"state":"s"})");
    auto plan = context_plan_from_json(text);
    BOOST_REQUIRE(plan.ok());
    BOOST_TEST(canonical_text(to_json(*plan)) == canonical_text(text));
}

BOOST_AUTO_TEST_CASE(a_plan_with_impossible_groups_or_too_much_state_is_refused) {
    BOOST_TEST(!context_plan_from_json(parsed(R"({"keepFrom":-1})")).ok());
    BOOST_TEST(!context_plan_from_json(parsed(R"({"keepFrom":1,"pinned":[-2]})")).ok());
    BOOST_TEST(
        !context_plan_from_json(parsed(R"({"keepFrom":1,"summarize":{"from":3,"to":3}})")).ok());
    JsonObject big{{"keepFrom", 0}, {"state", std::string(4097, 'x')}};
    BOOST_TEST(!context_plan_from_json(big).ok());
}

BOOST_AUTO_TEST_SUITE_END()
