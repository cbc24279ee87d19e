// The C++ of docs/agents and docs/approvals, compiled as it stands there and run over a journal in
// memory with a model and services of our own.
#include <boost/test/unit_test.hpp>

#include "../unit/agent/fixture.hpp"
#include "agent/approval/cel.hpp"
#include "agent/generate.hpp"
#include "agent/loop/loop.hpp"
#include "agent/manifest.hpp"
#include "agent/prompt.hpp"
#include "config/host_config.hpp"

namespace {

// What the snippets call on.
using foxwedge::Json;
using foxwedge::JsonArray;
using foxwedge::JsonObject;
using foxwedge::Result;
using foxwedge::ToolResult;

struct PolicyIndex {
    Result<Json> find(const Json& topic) { return Json{{"topic", topic}, {"policy", "refund it"}}; }
};
PolicyIndex policy_index() {
    return {};
}
struct Refunds {
    Result<Json> issue(const JsonObject& what) { return Json{{"refunded", what.at("amount")}}; }
};
Refunds refunds() {
    return {};
}
struct Orders {
    Result<Json> list_for(const Json& customer) {
        JsonArray all;
        for (int id = 1; id <= 7; ++id) all.push_back({{"id", id}, {"customer", customer}});
        return Json{{"orders", all}};
    }
};
Orders orders() {
    return {};
}
struct Database {
    Result<Json> drop(const JsonObject& what) { return Json{{"dropped", what.at("name")}}; }
};
Database database() {
    return {};
}
struct Bank {
    Result<ToolResult> pay(const JsonObject&, const std::string& key) {
        return foxwedge::text_result("paid under " + key);
    }
};
Bank bank() {
    return {};
}

struct Connections {
    Result<std::string> token_of(const std::string& name) { return "token-of-" + name; }
};
Connections connections() {
    return {};
}

#include "snippets.inc"

using foxwedge::agent::Bench;
using foxwedge::agent::call_block;
using foxwedge::agent::calls;
using foxwedge::agent::final_of;
using foxwedge::agent::says;
using run::Ended;

/// A run of `workflow` on a bench whose model calls `tool` once and then says "done".
run::Finished executed(Bench& bench, const run::Workflow& workflow) {
    auto held = bench.engine->open(bench.run, {});
    run::ExecuteOptions options;
    options.patience = Millis(0);
    return run::execute(**held, workflow, options);
}

void calls_once(Bench& bench, const char* tool, const char* arguments) {
    bench.model->say(calls({call_block("c1", tool, arguments)}));
    bench.model->say(says("done"));
}

/// The tool's answer to one call, as the model read it.
std::string shown(Tool tool, const char* arguments) {
    Bench bench;
    bench.world.rules = &agent::cel_language();
    const std::string name = tool.options.name;
    bench.agent.tools = {std::move(tool)};
    calls_once(bench, name.c_str(), arguments);
    if (bench.execute().how == Ended::parked) {
        BOOST_REQUIRE(bench.answer("approve").ok());
        BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    }
    return text_of(bench.last_results().at(0).content);
}

} // namespace

BOOST_AUTO_TEST_SUITE(snippets_of_the_manual)

BOOST_AUTO_TEST_CASE(a_first_agent_answers) {
    Bench bench(R"({"ticket":"charged twice"})");
    calls_once(bench, "search-policy", R"({"topic":"double charge"})");
    const auto finished =
        executed(bench, [&](run::Run& run) { return support_agent(run, bench.world); });
    BOOST_TEST(finished.outcome.value_json == R"({"answer":"done","iterations":2})");
    const auto request = bench.model->requests().at(0);
    BOOST_TEST(text_of(request.messages[0].content) == "Resolve this ticket: charged twice");
    BOOST_TEST(bench.record("agent:iter:0:tool:c1").has_value());
}

BOOST_AUTO_TEST_CASE(tools_do_what_the_page_says) {
    BOOST_TEST(agent::check_tool(lookup_order()).ok());
    BOOST_TEST(shown(pay_out(), "{}").find("/a:iter:0:tool:c1") != std::string::npos);
    BOOST_TEST(shown(issue_refund(), R"({"amount":5})") == R"({"refunded":5})");
    BOOST_TEST(shown(annotated_refund(), R"({"amount":5})") == R"({"refunded":5})");
    BOOST_TEST(shown(drop_index(), R"({"name":"by-date"})") == R"({"dropped":"by-date"})");
    BOOST_TEST(shown(list_orders(), R"({"customerId":"c7"})") ==
               R"({"count":7,"ids":[1,2,3,4,5]})");
}

BOOST_AUTO_TEST_CASE(a_servers_headers_come_from_code) {
    config::HostConfig host;
    host.mcp_servers["orders"].url = "https://orders.example/mcp";
    signed_in(host);
    const auto fields = host.mcp_servers.at("orders").more_headers();
    BOOST_REQUIRE(fields.ok());
    BOOST_TEST(fields->at(0).second == "Bearer token-of-orders");
}

BOOST_AUTO_TEST_CASE(a_condition_asks_about_large_refunds_only) {
    for (const bool large : {false, true}) {
        Bench bench;
        bench.world.rules = &agent::cel_language();
        bench.agent.tools = {conditional_refund()};
        calls_once(bench, "issue-refund", large ? R"({"amount":50000})" : R"({"amount":2})");
        BOOST_TEST((bench.execute().how == Ended::parked) == large);
    }
}

BOOST_AUTO_TEST_CASE(an_answer_comes_back_in_its_shape) {
    Bench bench;
    bench.agent.options.prompt = nullptr;
    bench.model->traits.structured_output = StructuredOutput::always;
    bench.model->say(says(R"({"total":12.5,"currency":"EUR"})"));
    double total = 0;
    const auto finished = executed(bench, [&](run::Run& run) -> Result<Json> {
        FOXWEDGE_TRY(value, invoice_total(run, bench.world));
        total = value;
        return Json(value);
    });
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(total == 12.5);
}

BOOST_AUTO_TEST_CASE(an_agent_that_asks_for_too_much_sign_off_hands_over) {
    Bench bench(R"({"ticket":"t"})");
    for (int turn = 0; turn < 5; ++turn)
        bench.model->say(calls({call_block("c1", "issue-refund", R"({"amount":5})")}));
    const run::Workflow workflow = [&](run::Run& run) { return capped(run, bench.world); };
    auto finished = executed(bench, workflow);
    for (int answers = 0; answers < 3; ++answers) {
        BOOST_REQUIRE((finished.how == Ended::parked));
        BOOST_REQUIRE(bench.answer("approve").ok());
        finished = executed(bench, workflow);
    }
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(finished.outcome.value_json == R"({"outcome":"handed-off"})");
}

BOOST_AUTO_TEST_CASE(a_provider_of_ones_own_answers) {
    Bench bench;
    auto mine = std::make_shared<agent::ScriptedModel>();
    mine->say(says("mine"));
    const auto finished =
        executed(bench, [&](run::Run& run) { return with_own_provider(run, bench.world, mine); });
    BOOST_TEST(finished.outcome.value_json == R"("mine")");
    BOOST_TEST(bench.model->generated == 0);
}

BOOST_AUTO_TEST_CASE(agents_with_context_servers_and_guardrails_are_what_the_page_says) {
    BOOST_TEST(*string_member(long_talk().options.context, "strategy") == "count");
    BOOST_TEST(guarded().options.guardrails.at(0).use == "schema");

    Bench bench(R"({"ticket":"t"})");
    bench.world.rules = &agent::cel_language();
    bench.agent = with_server();
    auto& server = *(bench.servers["orders"] = std::make_shared<agent::FakeSource>());
    for (const char* name : {"lookup-order", "cancel-order", "list-orders"})
        server.add(name, [](const JsonObject&, Call&) -> Result<ToolResult> {
            return text_result("done");
        });
    bench.model->say(calls({call_block("c1", "orders_cancel-order", "{}"),
                            call_block("c2", "orders_lookup-order", "{}"),
                            call_block("c3", "orders_list-orders", "{}")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    BOOST_REQUIRE(bench.open_gates().size() == 1u);
    BOOST_REQUIRE(bench.answer("approve").ok());
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    const auto results = bench.last_results();
    BOOST_TEST(!results.at(1).is_error);
    BOOST_TEST(results.at(2).is_error); // hidden by the allow-list
}

BOOST_AUTO_TEST_CASE(the_default_covers_what_nobody_spoke_about) {
    Bench bench(R"({"ticket":"t"})");
    bench.agent = with_default();
    auto& server = *(bench.servers["orders"] = std::make_shared<agent::FakeSource>());
    server.add("lookup",
               [](const JsonObject&, Call&) -> Result<ToolResult> { return text_result("found"); });
    calls_once(bench, "orders_lookup", "{}");
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    const Json about = *parse_json(bench.open_gates().at(0).about_json);
    BOOST_TEST(*string_member(about, "summary") == "A tool this agent was not told how to treat");
    BOOST_TEST(*string_member(about, "ruleSource") == "agent-default");
}

BOOST_AUTO_TEST_CASE(tools_are_listed_and_served_from_the_same_arrays) {
    const Json manifest = listed();
    const JsonArray tools = served();
    BOOST_TEST(to_text(*member(manifest, "mcpServers")) == R"([{"name":"orders"}])");
    BOOST_TEST(to_text(array_member(manifest, "tools")->at(0)) == to_text(tools.at(0)));
    BOOST_TEST(to_text(Json(tools)).find("requiresApproval") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_workflow_written_by_hand_goes_on_where_it_was) {
    Bench bench;
    bench.agent.options.prompt = nullptr;
    bench.model->say(says("thanks"));
    const run::Workflow workflow = [&](run::Run& run) { return order_desk(run, bench.world); };
    auto finished = executed(bench, workflow);
    while (finished.how == Ended::parked && bench.open_gates().empty()) {
        bench.clock.advance(Millis(10)); // past the sleep
        finished = executed(bench, workflow);
    }
    BOOST_REQUIRE((finished.how == Ended::parked));
    bench.restart();
    BOOST_REQUIRE(bench.answer("approve").ok());
    finished = executed(bench, workflow);
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    const Json value = *parse_json(finished.outcome.value_json);
    BOOST_TEST(*string_member(value, "note") == "thanks");
    BOOST_TEST(*string_member(value, "answer") == "thanks");
}

BOOST_AUTO_TEST_CASE(a_loop_written_by_hand_names_its_steps_like_an_agents) {
    Bench bench;
    bench.model->lines.push_back([asked = std::make_shared<int>(0)](const GenerateRequest&) {
        return Result<Generated>(says(++*asked < 2 ? "no" : "yes"));
    });
    const auto finished =
        executed(bench, [&](run::Run& run) { return hand_written(run, bench.world); });
    BOOST_TEST(finished.outcome.value_json == R"({"final":"yes","iterations":2})");
    BOOST_TEST(bench.record("asking:iter:1").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
