// Guardrails: order, closing, placements; verdicts are replayed, not made again.
#include <boost/test/unit_test.hpp>

#include <thread>

#include "agent/guard/guards.hpp"
#include "fixture.hpp"

using namespace foxwedge;
using namespace foxwedge::agent;
using run::Ended;
using Action = GuardrailVerdict::Action;

namespace {

class FakeGuardrail final : public Guardrail {
public:
    using Check = std::function<Result<GuardrailVerdict>(Placement, const Json&)>;
    FakeGuardrail(std::uint32_t at, Check check) : at_(at), check_(std::move(check)) {}
    std::uint32_t placements() const override { return at_; }
    Result<GuardrailVerdict> check(Placement where, const Json& subject, Call&) override {
        ++asked;
        return check_(where, subject);
    }
    std::atomic<int> asked{0};

private:
    std::uint32_t at_;
    Check check_;
};

/// Heeds its deadline and nothing else.
class SlowGuardrail final : public Guardrail {
public:
    std::uint32_t placements() const override {
        return static_cast<std::uint32_t>(Placement::tool_args);
    }
    Result<GuardrailVerdict> check(Placement, const Json&, Call& call) override {
        while (!call.until.overdue()) std::this_thread::yield();
        return unknown_outcome("timeout", "took too long");
    }
};

GuardrailVerdict verdict(Action action, std::string message = {}, Json value = nullptr) {
    GuardrailVerdict out;
    out.action = action;
    out.message = std::move(message);
    out.value = std::move(value);
    return out;
}

FakeGuardrail& add(Bench& bench, const std::string& name, Placement where,
                   FakeGuardrail::Check check) {
    auto made =
        std::make_shared<FakeGuardrail>(static_cast<std::uint32_t>(where), std::move(check));
    bench.guardrails[name] = made;
    GuardrailUse use;
    use.use = name;
    bench.agent.options.guardrails.push_back(use);
    return *made;
}

} // namespace

BOOST_AUTO_TEST_SUITE(guardrails)

BOOST_AUTO_TEST_CASE(a_replacement_feeds_the_next_and_the_first_deny_wins) {
    Json subject = *parse_json(R"({"arguments":{"a":1}})");
    Guarded so_far;
    BOOST_TEST(fold(so_far, Placement::tool_args, "0-a",
                    verdict(Action::replace, "", JsonObject{{"a", 2}}), subject));
    BOOST_TEST(to_text(subject) == R"({"arguments":{"a":2}})");
    BOOST_TEST(!fold(so_far, Placement::tool_args, "1-b", verdict(Action::deny, "no"), subject));
    BOOST_TEST((so_far.outcome == Guarded::Outcome::deny));
    BOOST_TEST(so_far.label == "1-b");
}

BOOST_AUTO_TEST_CASE(approval_can_be_asked_for_only_around_tools_and_is_a_deny_elsewhere) {
    const std::pair<Placement, bool> rows[] = {{Placement::input, false},
                                               {Placement::tool_args, true},
                                               {Placement::tool_result, true},
                                               {Placement::output, false},
                                               {Placement::tool_definition, false}};
    for (const auto& [where, may] : rows) {
        Json subject = JsonObject();
        Guarded so_far;
        fold(so_far, where, "0-a", verdict(Action::require_approval), subject);
        BOOST_TEST(so_far.approval == may);
        BOOST_TEST((so_far.outcome == Guarded::Outcome::deny) == !may);
    }
}

BOOST_AUTO_TEST_CASE(a_denied_call_is_not_made_and_the_model_reads_why) {
    Bench bench;
    bench.own("look", "x");
    auto& guard = add(bench, "strict", Placement::tool_args,
                      [](Placement, const Json&) -> Result<GuardrailVerdict> {
                          return verdict(Action::deny, "not on Sundays");
                      });
    bench.model->say(calls({call_block("c1", "look", "{}")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(text_of(bench.last_results()[0].content) == "not on Sundays");
    BOOST_TEST(bench.record("a:iter:0:tool:c1:args:guardrail:0-strict").has_value());
    BOOST_TEST(guard.asked == 1);
    BOOST_TEST((bench.replay().how == Ended::succeeded));
    BOOST_TEST(guard.asked == 1);
}

BOOST_AUTO_TEST_CASE(one_that_fails_denies_unless_told_otherwise) {
    for (const char* on_error : {"deny", "allow"}) {
        Bench bench;
        bench.own("look", "x");
        add(bench, "broken", Placement::tool_args,
            [](Placement, const Json&) -> Result<GuardrailVerdict> {
                return unknown_outcome("timeout", "too slow");
            });
        bench.agent.options.guardrails[0].on_error = on_error;
        bench.model->say(calls({call_block("c1", "look", "{}")}));
        bench.model->say(says("done"));
        BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
        BOOST_TEST(bench.last_results()[0].is_error == (std::string(on_error) == "deny"));
    }
}

BOOST_AUTO_TEST_CASE(one_that_takes_too_long_denies) {
    Bench bench;
    bench.own("look", "x");
    bench.world.guardrail_timeout = Millis(1);
    auto slow = std::make_shared<SlowGuardrail>();
    bench.guardrails["slow"] = slow;
    bench.agent.options.guardrails.push_back({.use = "slow"});
    bench.model->say(calls({call_block("c1", "look", "{}")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(bench.last_results()[0].is_error);
    const auto record = bench.record("a:iter:0:tool:c1:args:guardrail:0-slow");
    BOOST_TEST(record->outcome->value_json.find("timeout") != std::string::npos);
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(the_first_denial_stands_whatever_a_later_one_would_say) {
    Bench bench;
    bench.own("look", "x");
    add(bench, "strict", Placement::tool_args,
        [](Placement, const Json&) -> Result<GuardrailVerdict> {
            return verdict(Action::deny, "no");
        });
    auto& lax = add(
        bench, "lax", Placement::tool_args,
        [](Placement, const Json&) -> Result<GuardrailVerdict> { return verdict(Action::allow); });
    bench.model->say(calls({call_block("c1", "look", "{}")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(lax.asked == 0);
    BOOST_TEST(text_of(bench.last_results()[0].content) == "no");
}

BOOST_AUTO_TEST_CASE(each_replacement_reaches_the_next_in_listed_order) {
    Bench bench;
    Json seen;
    bench.agent.tools.push_back(
        tool({.name = "look"}, [&](const JsonObject& arguments) -> Result<Json> {
            seen = arguments;
            return Json("x");
        }));
    for (const char* name : {"a", "b", "c"})
        add(bench, name, Placement::tool_args,
            [name](Placement, const Json& subject) -> Result<GuardrailVerdict> {
                Json arguments = *member(subject, "arguments");
                std::string path(string_member(arguments, "path").value_or(""));
                arguments.get_object()["path"] = path + name;
                return verdict(Action::replace, "", arguments);
            });
    bench.model->say(calls({call_block("c1", "look", "{}")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(to_text(seen) == R"({"path":"abc"})");
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(a_replacement_of_another_shape_is_never_taken) {
    Bench bench;
    std::atomic<int> ran{0};
    bench.agent.tools.push_back(tool({.name = "look"}, [&](const JsonObject&) -> Result<Json> {
        ++ran;
        return Json("x");
    }));
    add(bench, "odd", Placement::tool_args, [](Placement, const Json&) -> Result<GuardrailVerdict> {
        return verdict(Action::replace, "", "no object");
    });
    bench.model->say(calls({call_block("c1", "look", "{}")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(ran == 0);
    BOOST_TEST(bench.last_results()[0].is_error);
}

BOOST_AUTO_TEST_CASE(replaced_arguments_are_what_runs_and_what_the_history_shows) {
    Bench bench;
    Json seen;
    ToolOptions options;
    options.name = "look";
    bench.agent.tools.push_back(tool(options, [&](const JsonObject& arguments) -> Result<Json> {
        seen = arguments;
        return Json("x");
    }));
    add(bench, "clip", Placement::tool_args,
        [](Placement, const Json&) -> Result<GuardrailVerdict> {
            return verdict(Action::replace, "", JsonObject{{"limit", 10}});
        });
    bench.model->say(calls({call_block("c1", "look", R"({"limit":9999})")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(to_text(seen) == R"({"limit":10})");
    BOOST_TEST(bench.model->requests().back().messages[1].content[0].arguments ==
               R"({"limit":10})");
}

BOOST_AUTO_TEST_CASE(a_guardrail_gates_even_what_says_it_never_does) {
    Bench bench;
    bench.own("look", "x").requires_approval = false;
    add(bench, "careful", Placement::tool_args,
        [](Placement, const Json&) -> Result<GuardrailVerdict> {
            auto out = verdict(Action::require_approval);
            out.reason = "looks odd";
            out.risk = "high";
            return out;
        });
    bench.model->say(calls({call_block("c1", "look", "{}")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    const Json about = *parse_json(bench.open_gates()[0].about_json);
    BOOST_TEST(*string_member(about, "ruleSource") == "guardrail");
    BOOST_TEST(*string_member(about, "reason") == "looks odd");
    BOOST_REQUIRE(bench.answer("approve").ok());
    BOOST_TEST((bench.execute().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(a_stop_ends_the_agent_before_anything_of_the_turn_runs) {
    Bench bench;
    bench.own("look", "x");
    add(bench, "halt", Placement::tool_args,
        [](Placement, const Json&) -> Result<GuardrailVerdict> { return verdict(Action::stop); });
    bench.model->say(calls({call_block("c1", "look", "{}")}));
    const auto finished = bench.execute();
    BOOST_TEST(stop_reason_of(finished) == "stopped");
    BOOST_TEST(!bench.record("a:iter:0:tool:c1").has_value());
}

BOOST_AUTO_TEST_CASE(a_denied_input_stops_the_agent_before_the_first_model_call) {
    Bench bench;
    add(bench, "polite", Placement::input, [](Placement, const Json&) -> Result<GuardrailVerdict> {
        return verdict(Action::deny, "rude");
    });
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(stop_reason_of(finished) == "stopped");
    BOOST_TEST(bench.model->generated == 0);
}

BOOST_AUTO_TEST_CASE(a_denied_answer_goes_back_to_the_model_which_answers_anew) {
    Bench bench;
    add(bench, "nice", Placement::output,
        [](Placement, const Json& subject) -> Result<GuardrailVerdict> {
            const bool rude = to_text(subject).find("rude") != std::string::npos;
            return rude ? verdict(Action::deny, "say it nicely") : verdict(Action::allow);
        });
    bench.model->say(says("rude answer"));
    bench.model->say(says("nice answer"));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(final_of(finished) == R"("nice answer")");
    const auto messages = bench.model->requests().back().messages;
    BOOST_TEST(text_of(messages.back().content) == "say it nicely");
    BOOST_TEST(text_of(messages[1].content) == "rude answer");
}

BOOST_AUTO_TEST_CASE(a_result_can_be_replaced_or_kept_from_the_model) {
    for (const Action action : {Action::replace, Action::deny}) {
        Bench bench;
        bench.own("look", "secret 42");
        add(bench, "masks", Placement::tool_result,
            [action](Placement, const Json&) -> Result<GuardrailVerdict> {
                return verdict(action, "kept back", to_json(text_result("[masked]")));
            });
        bench.model->say(calls({call_block("c1", "look", "{}")}));
        bench.model->say(says("done"));
        BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
        const auto shown = text_of(bench.last_results()[0].content);
        BOOST_TEST(shown == (action == Action::deny ? "kept back" : "[masked]"));
    }
}

BOOST_AUTO_TEST_CASE(a_result_that_needs_approval_waits_for_it) {
    Bench bench;
    bench.own("look", "odd");
    add(bench, "checks", Placement::tool_result,
        [](Placement, const Json&) -> Result<GuardrailVerdict> {
            return verdict(Action::require_approval);
        });
    bench.model->say(calls({call_block("c1", "look", "{}")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    BOOST_TEST(bench.open_gates()[0].step == "a:iter:0:tool:c1:result:approval");
    BOOST_REQUIRE(bench.answer("reject").ok());
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(bench.last_results()[0].is_error);
}

BOOST_AUTO_TEST_CASE(a_servers_words_are_checked_before_a_model_reads_them) {
    Bench bench;
    auto& orders = bench.server("orders");
    for (const char* name : {"good", "rude", "long"}) orders.add(name, nullptr);
    auto& guard = add(bench, "words", Placement::tool_definition,
                      [](Placement, const Json& subject) -> Result<GuardrailVerdict> {
                          const Json* tool = member(subject, "tool");
                          const auto name = *string_member(*tool, "name");
                          if (name == "rude") return verdict(Action::deny, "commands the model");
                          if (name != "long") return verdict(Action::allow);
                          return verdict(Action::replace, "",
                                         JsonObject{{"name", "x"}, {"description", "short"}});
                      });
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    const auto tools = bench.model->requests().back().tools;
    BOOST_REQUIRE(tools.size() == 2u);
    BOOST_TEST(tools[1].name == "orders_long");
    BOOST_TEST(tools[1].description == "short");
    BOOST_TEST(bench.record("a:tools:guardrail:0-words:orders_rude").has_value());
    BOOST_TEST(bench.record("a:tools")->outcome->value_json.find("commands the model") !=
               std::string::npos);
    bench.world.guardrail = nullptr;
    BOOST_TEST((bench.replay().how == Ended::succeeded));
    BOOST_TEST(guard.asked == 3);
}

BOOST_AUTO_TEST_SUITE_END()
