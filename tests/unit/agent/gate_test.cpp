// Approvals over the engine in memory: parks, answers, edits, limits.
#include <boost/test/unit_test.hpp>

#include "agent/approval/cel.hpp"
#include "agent/approval/remembered.hpp"
#include "fixture.hpp"

using namespace foxwedge;
using namespace foxwedge::agent;
using run::Ended;

namespace {

/// Wants one refund of 5; then says what it was told.
struct RefundBench : Bench {
    std::atomic<int> paid{0};
    Json last = nullptr;

    RefundBench() {
        ToolOptions options;
        options.name = "refund";
        options.requires_approval = true;
        options.input_schema = *parse_json(
            R"({"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]})");
        agent.tools.push_back(tool(options, [this](const JsonObject& arguments) -> Result<Json> {
            ++paid;
            last = arguments;
            return Json("paid");
        }));
        model->say(calls({call_block("c1", "refund", R"({"amount":5})")}));
        model->say(says("done"));
    }
    ToolOptions& refund() { return agent.tools.back().options; }
};

} // namespace

BOOST_AUTO_TEST_SUITE(gates)

BOOST_AUTO_TEST_CASE(a_gated_call_parks_the_run_and_runs_once_it_is_approved) {
    RefundBench bench;
    auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::parked));
    BOOST_TEST(finished.waiting_for_decision_only);
    BOOST_TEST(bench.paid == 0);

    const auto gates = bench.open_gates();
    BOOST_REQUIRE(gates.size() == 1u);
    BOOST_TEST(gates[0].step == "a:iter:0:tool:c1:approval");
    BOOST_TEST(gates[0].kind == "approval");
    const std::vector<std::string> path{"a"};
    BOOST_TEST(gates[0].path == path, boost::test_tools::per_element());
    const Json about = *parse_json(gates[0].about_json);
    BOOST_TEST(*string_member(about, "tool") == "refund");
    BOOST_TEST(*string_member(about, "callId") == "c1");
    BOOST_TEST(to_text(*member(about, "arguments")) == R"({"amount":5})");
    BOOST_TEST(*string_member(about, "ruleSource") == "bare");
    BOOST_TEST((gates[0].digest == sha256(R"({"amount":5})")));

    bench.restart();
    BOOST_REQUIRE(bench.answer("approve").ok());
    finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(bench.paid == 1);
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

// B38: signatures go back as they came, whatever lies between.
BOOST_AUTO_TEST_CASE(reasoning_and_its_signature_survive_the_wait_unchanged) {
    RefundBench bench;
    bench.model->traits.transcript_format = "anthropic-messages";
    bench.agent.options.model = "claude-opus-4-8";
    Block thought;
    thought.type = Block::Type::reasoning;
    thought.text = "A refund of 5 \xE2\x82\xAC is fine.";
    thought.opaque = *parse_json(
        R"({"format":"anthropic-messages","model":"claude-opus-4","signature":"EqQBCg+/=="})");
    bench.model->lines.clear();
    bench.model->say(calls({thought, call_block("c1", "refund", R"({"amount":5})")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    bench.restart();
    BOOST_REQUIRE(bench.answer("approve").ok());
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    const auto sent = bench.model->requests().back().messages[1].content[0];
    BOOST_TEST(to_text(to_json(sent)) == to_text(to_json(thought)));
}

BOOST_AUTO_TEST_CASE(a_rejected_call_is_that_tools_result_with_the_reason) {
    RefundBench bench;
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    BOOST_REQUIRE(bench.answer("reject", "", "ask the boss").ok());
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(bench.paid == 0);
    const auto result = bench.last_results()[0];
    BOOST_TEST(result.is_error);
    BOOST_TEST(text_of(result.content).find("ask the boss") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_edit_is_what_runs_and_what_the_history_shows) {
    RefundBench bench;
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    BOOST_REQUIRE(bench.answer("edit", R"({"amount":3})").ok());
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(to_text(bench.last) == R"({"amount":3})");
    BOOST_TEST(bench.model->requests().back().messages[1].content[0].arguments ==
               R"({"amount":3})");
    const auto record = *bench.record("a:iter:0:tool:c1");
    BOOST_TEST(record.outcome->value_json.find(R"("arguments":{"amount":3})") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_edit_into_a_schema_violation_is_asked_about_again_with_the_reason) {
    RefundBench bench;
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    BOOST_REQUIRE(bench.answer("edit", R"({"amount":"three"})").ok());
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    const auto gates = bench.open_gates();
    BOOST_REQUIRE(gates.size() == 1u);
    BOOST_TEST(gates[0].step == "a:iter:0:tool:c1:approval:edit:1");
    BOOST_TEST(gates[0].about_json.find("/amount") != std::string::npos);
    BOOST_REQUIRE(bench.answer("edit", R"({"amount":4})").ok());
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(to_text(bench.last) == R"({"amount":4})");
}

BOOST_AUTO_TEST_CASE(after_three_edits_that_do_not_fit_the_call_is_denied) {
    RefundBench bench;
    for (int i = 0; i < 3; ++i) {
        BOOST_REQUIRE((bench.execute().how == Ended::parked));
        BOOST_REQUIRE(bench.answer("edit", R"({"amount":"x"})").ok());
    }
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(bench.paid == 0);
    BOOST_TEST(bench.last_results()[0].is_error);
}

BOOST_AUTO_TEST_CASE(a_person_may_answer_in_the_tools_place) {
    RefundBench bench;
    bench.refund().approval.emplace();
    bench.refund().approval->allow = {"approve", "respond"};
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    BOOST_REQUIRE(bench.answer("respond", R"("paid by hand")").ok());
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(bench.paid == 0);
    BOOST_TEST(text_of(bench.last_results()[0].content) == "paid by hand");
    BOOST_TEST(!bench.last_results()[0].is_error);
}

BOOST_AUTO_TEST_CASE(a_second_answer_gets_the_first_decision) {
    RefundBench bench; // B42
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    const auto gate = bench.open_gates()[0];
    BOOST_REQUIRE(bench.answer("approve").ok());
    journal::Answer late{gate.id, gate.digest, "reject", "", "", "user:bob"};
    const auto second = bench.engine->answer(late);
    BOOST_REQUIRE(!second.ok());
    BOOST_TEST(second.error().code == "conflict");
}

BOOST_AUTO_TEST_CASE(a_gate_that_nobody_answers_in_time_is_decided_by_its_rule) {
    struct {
        const char* on_timeout;
        Ended how;
        int paid;
    } cases[] = {{"reject", Ended::succeeded, 0},
                 {"approve", Ended::succeeded, 1},
                 {"fail", Ended::failed, 0}};
    for (const auto& one : cases) {
        RefundBench bench;
        bench.refund().approval.emplace();
        bench.refund().approval->timeout = Millis(60'000);
        bench.refund().approval->on_timeout = one.on_timeout;
        BOOST_REQUIRE((bench.execute().how == Ended::parked));
        bench.clock.advance(Millis(61'000));
        const auto finished = bench.execute();
        BOOST_TEST((finished.how == one.how), one.on_timeout);
        BOOST_TEST(bench.paid == one.paid, one.on_timeout);
    }
}

BOOST_AUTO_TEST_CASE(a_turn_past_the_limit_of_approvals_runs_none_of_its_calls) {
    RefundBench bench;
    bench.own("look", "x");
    bench.agent.options.max_approvals = 0;
    bench.model->lines.clear();
    bench.model->say(
        calls({call_block("c0", "look", "{}"), call_block("c1", "refund", R"({"amount":5})")}));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(stop_reason_of(finished) == "approval-budget");
    BOOST_TEST(!bench.record("a:iter:0:tool:c0").has_value());
    BOOST_TEST(bench.open_gates().empty());
}

BOOST_AUTO_TEST_CASE(an_ungated_sibling_does_not_wait_for_the_gate) {
    RefundBench bench;
    bench.own("look", "x");
    bench.model->lines.clear();
    bench.model->say(
        calls({call_block("c1", "refund", R"({"amount":5})"), call_block("c2", "look", "{}")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    BOOST_TEST(bench.record("a:iter:0:tool:c2")->outcome.has_value());
    BOOST_TEST(bench.record("a:iter:0:gates")->outcome.has_value());
    BOOST_REQUIRE(bench.answer("approve").ok());
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(bench.last_results()[0].call_id == "c1");
}

BOOST_AUTO_TEST_CASE(a_rule_below_its_least_risk_is_decided_by_the_system_and_shown_to_nobody) {
    RefundBench bench;
    bench.refund().approval.emplace();
    bench.refund().approval->risk = std::string("low");
    bench.refund().approval->min_risk = "high";
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(bench.paid == 1);
    const auto gate = bench.record("a:iter:0:tool:c1:approval");
    BOOST_REQUIRE(gate.has_value());
    BOOST_TEST(gate->outcome->value_json.find("system:rule") != std::string::npos);
    BOOST_TEST(bench.record("a:iter:0:gates").has_value());
}

BOOST_AUTO_TEST_CASE(a_decision_that_stands_for_later_calls_asks_nobody_again) {
    struct {
        RememberedRule rule;
        bool own_rule, asks;
    } cases[] = {
        {{"R1", "refund", "", "", "user:ann", {}}, false, false},
        {{"R1", "refund", "args.amount < 10.0", "", "user:ann", {}}, false, false},
        {{"R1", "refund", "args.amount > 10.0", "", "user:ann", {}}, false, true},
        {{"R1", "refund", "args.nothing > 10.0", "", "user:ann", {}}, false, true},
        {{"R1", "refund", "", "another run", "user:ann", {}}, false, true},
        {{"R1", "look", "", "", "user:ann", {}}, false, true},
        {{"R1", "refund", "", "", "user:ann", {}}, true, true}, // outranks no rule of its own
    };
    for (const auto& one : cases) {
        RefundBench bench;
        bench.world.rules = &cel_language();
        if (one.own_rule) bench.refund().approval.emplace();
        const journal::Effect effect = remember_effect("shop", one.rule);
        BOOST_REQUIRE(bench.engine->apply({&effect, 1}).ok());
        const auto finished = bench.execute();
        BOOST_TEST((finished.how == Ended::parked) == one.asks);
        if (one.asks) continue;
        BOOST_TEST(bench.record("a:iter:0:tool:c1:approval")->outcome->value_json ==
                   R"({"answer":"approve","decidedBy":"rule:R1"})");
        const journal::Effect revoked = revoke_effect("shop", "R1");
        BOOST_REQUIRE(bench.engine->apply({&revoked, 1}).ok());
        BOOST_TEST(remembered_rules(bench.store, "shop")->empty());
        BOOST_TEST((bench.replay().how == Ended::succeeded));
    }
}

BOOST_AUTO_TEST_CASE(rules_are_not_asked_again_once_their_verdicts_are_on_record) {
    RefundBench bench;
    bench.refund().approval.emplace();
    bench.refund().approval->risk = std::string("high");
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    bench.refund().approval->min_risk = "critical"; // would decline by now
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    BOOST_REQUIRE(bench.answer("approve").ok());
    BOOST_TEST((bench.execute().how == Ended::succeeded));
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(a_shadow_rule_is_only_recorded) {
    RefundBench bench;
    bench.refund().requires_approval.reset();
    bench.refund().approval.emplace();
    bench.refund().approval->shadow = true;
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(bench.paid == 1);
    BOOST_TEST(bench.record("a:iter:0:gates")->outcome->value_json.find("shadow") !=
               std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
