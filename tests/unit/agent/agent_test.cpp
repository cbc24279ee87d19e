// Agents over the engine in memory, end to end.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "fixture.hpp"

using namespace foxwedge;
using namespace foxwedge::agent;
using run::Ended;

BOOST_AUTO_TEST_SUITE(agents)

BOOST_AUTO_TEST_CASE(an_agent_answers_in_one_turn) {
    Bench bench;
    bench.model->say(says("done"));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(finished.outcome.value_json ==
               R"({"final":"done","iterations":1,"stopReason":"final","usage":{"input":10,)"
               R"("output":2,"cacheRead":0,"cacheWrite":0,"reasoning":0}})");
    const std::vector<std::string> want{"a:tools", "a:iter:0"};
    BOOST_TEST(bench.steps() == want, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(calls_of_one_turn_are_answered_in_their_order) {
    Bench bench;
    bench.own("first", JsonObject{{"n", 1}});
    bench.own("second", "two");
    bench.model->say(calls({call_block("c1", "second", "{}"), call_block("c2", "first", ""),
                            call_block("c3", "second", "  ")}));
    bench.model->say(says("done"));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    const auto results = bench.last_results();
    BOOST_REQUIRE(results.size() == 3u);
    BOOST_TEST(text_of(results[0].content) == "two");
    BOOST_TEST(text_of(results[1].content) == R"({"n":1})");
    BOOST_TEST(results[1].call_id == "c2");
    auto steps = bench.steps();
    for (const char* name : {"a:iter:0:tool:c1", "a:iter:0:tool:c2", "a:iter:0:tool:c3"})
        BOOST_TEST(std::count(steps.begin(), steps.end(), name) == 1, name);
    // B28: the next turn shows the empty arguments as {}.
    BOOST_TEST(bench.model->requests().back().messages[1].content[1].arguments == "{}");
}

BOOST_AUTO_TEST_CASE(a_finished_run_is_replayed_without_asking_anyone) {
    Bench bench;
    auto& kv = bench.capability("workflow-kv");
    kv.add("kv_store",
           [](const JsonObject&, Call&) -> Result<ToolResult> { return text_result("stored"); });
    bench.use("workflow-kv_kv_store");
    auto& orders = bench.server("orders");
    orders.add("lookup", [](const JsonObject&, Call&) -> Result<ToolResult> {
        return text_result("order 7");
    });
    bench.model->say(calls(
        {call_block("c1", "workflow-kv_kv_store", "{}"), call_block("c2", "orders_lookup", "{}")}));
    bench.model->say(says("done"));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));

    Bench empty; // a world in which nothing can be reached
    bench.world.provider = nullptr;
    bench.world.capability = nullptr;
    bench.world.mcp_server = nullptr;
    bench.world.guardrail = nullptr;
    const int generated = bench.model->generated;
    const auto again = bench.replay();
    BOOST_TEST((again.how == Ended::succeeded));
    BOOST_TEST(again.outcome.value_json == finished.outcome.value_json);
    BOOST_TEST(bench.model->generated == generated);
    BOOST_TEST(bench.model->described == 1);
    BOOST_TEST(orders.lists == 1);
    BOOST_TEST(kv.calls == 1);
}

BOOST_AUTO_TEST_CASE(an_unknown_provider_fails_before_the_first_model_call) {
    Bench bench;
    bench.agent.options.provider = "nobody";
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::failed));
    BOOST_TEST(finished.error->code == "unknown_provider");
    BOOST_TEST(bench.model->generated == 0);
}

BOOST_AUTO_TEST_CASE(an_agent_that_goes_on_and_on_stops_at_its_limit) {
    Bench bench;
    bench.own("look", "x");
    bench.agent.options.max_iterations = 3;
    for (int i = 0; i < 5; ++i) bench.model->say(calls({call_block("c", "look", "{}")}));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(stop_reason_of(finished) == "max-iterations");
    BOOST_TEST(final_of(finished) == "null");
    BOOST_TEST(bench.model->generated == 3);
}

BOOST_AUTO_TEST_CASE(an_unknown_tool_and_bad_arguments_go_back_to_the_model) {
    Bench bench;
    bench.own("look", "x");
    bench.model->say(calls({call_block("c1", "nope", "{}"), call_block("c2", "look", "[1]")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    const auto results = bench.last_results();
    BOOST_TEST(results[0].is_error);
    BOOST_TEST(text_of(results[0].content) == "There is no tool called \"nope\".");
    BOOST_TEST(results[1].is_error);
    BOOST_TEST(bench.record("a:iter:0:tool:c1")->outcome->tool_error);
}

BOOST_AUTO_TEST_CASE(arguments_of_a_plugins_tool_are_checked_against_its_schema) {
    Bench bench;
    auto& kv = bench.capability("workflow-kv");
    kv.add(
        "kv_store",
        [](const JsonObject&, Call&) -> Result<ToolResult> { return text_result("stored"); },
        R"({"type":"object","properties":{"key":{"type":"string"}},"required":["key"]})");
    bench.use("workflow-kv_kv_store");
    bench.model->say(calls({call_block("c1", "workflow-kv_kv_store", R"({"key":7})")}));
    bench.model->say(calls({call_block("c1", "workflow-kv_kv_store", R"({"key":"k"})")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(kv.calls == 1);
    const auto first = bench.model->requests()[1].messages.back().content[0];
    BOOST_TEST(first.is_error);
    BOOST_TEST(text_of(first.content).find("/key") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_id_repeated_in_the_next_turn_names_another_step_and_another_wire_id) {
    Bench bench; // B30
    bench.own("look", "x");
    bench.model->say(calls({call_block("look_0", "look", "{}")}));
    bench.model->say(calls({call_block("look_0", "look", "{}")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(bench.record("a:iter:1:tool:look_0").has_value());
    const auto last = bench.model->requests().back();
    BOOST_TEST(last.messages[1].content[0].call_id == "look_0");
    BOOST_TEST(last.messages[3].content[0].call_id == "call_1_0");
    BOOST_TEST(last.messages[4].content[0].call_id == "call_1_0");
}

BOOST_AUTO_TEST_CASE(a_projection_shows_less_than_is_recorded) {
    Bench bench;
    bench.own("orders", *parse_json(R"({"orders":[1,2,3]})"));
    bench.agent.tools.back().to_model_output = [](const Json& output) -> Result<Json> {
        return Json(JsonObject{{"count", array_member(output, "orders")->size()}});
    };
    bench.model->say(calls({call_block("c1", "orders", "{}")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(text_of(bench.last_results()[0].content) == R"({"count":3})");
    BOOST_TEST(bench.record("a:iter:0:tool:c1")->outcome->value_json.find("[1,2,3]") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_projection_that_fails_fails_the_step) {
    Bench bench;
    bench.own("orders", "secret");
    bench.agent.tools.back().to_model_output = [](const Json&) -> Result<Json> {
        return permanent("oops", "no");
    };
    bench.model->say(calls({call_block("c1", "orders", "{}")}));
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::failed));
    BOOST_TEST(finished.error->code == "projection_failed");
}

BOOST_AUTO_TEST_CASE(a_refusal_or_a_cut_answer_is_never_final) {
    const std::pair<const char*, const char*> cases[] = {
        {"refusal", "refusal"}, {"content_filter", "refusal"}, {"length", "output_truncated"}};
    for (const auto& [stop, code] : cases) {
        Bench bench;
        bench.own("look", "x");
        Generated cut = calls({call_block("c1", "look", "{}")});
        cut.stop = stop;
        bench.model->say(cut);
        const auto finished = bench.execute();
        BOOST_REQUIRE((finished.how == Ended::failed));
        BOOST_TEST(finished.error->code == code);
        BOOST_TEST(bench.model->generated == 1);
        BOOST_TEST(!bench.record("a:iter:0:tool:c1").has_value());
    }
}

BOOST_AUTO_TEST_CASE(what_the_provider_could_not_do_is_tried_again) {
    Bench bench;
    auto left = std::make_shared<std::atomic<int>>(2);
    bench.model->lines.push_back([left](const GenerateRequest&) -> Result<Generated> {
        if ((*left)-- > 0) return not_done("rate_limited", "later");
        return says("done");
    });
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(bench.model->generated == 3);
}

BOOST_AUTO_TEST_CASE(tokens_are_accounted_for_with_the_model_step) {
    Bench bench;
    bench.world.accounting = "capability-kv";
    bench.own("look", "x");
    bench.model->say(calls({call_block("c1", "look", "{}")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    const auto total = bench.engine->get(
        journal::collection_name("capability-kv", "project", "shop"), "tokenUsage.total");
    BOOST_REQUIRE((total && *total));
    BOOST_TEST(*integer_member(*parse_json((*total)->value_json), "input") == 20);
    const auto entry =
        bench.engine->get(journal::collection_name("capability-kv", "conversation", bench.run),
                          "tokenUsage.entry." + bench.run + ".a:iter:1");
    BOOST_REQUIRE((entry && *entry));
    BOOST_TEST(*integer_member(*parse_json((*entry)->value_json), "output") == 2);
}

BOOST_AUTO_TEST_CASE(a_tool_whose_schema_is_unusable_is_dropped_and_its_neighbours_stay) {
    Bench bench;
    auto& orders = bench.server("orders");
    const auto nothing = [](const JsonObject&, Call&) -> Result<ToolResult> {
        return text_result("x");
    };
    orders.add("good", nothing);
    orders.add("bad", nothing, R"({"type":"strange"})");
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    const auto request = bench.model->requests().back();
    BOOST_REQUIRE(request.tools.size() == 1u);
    BOOST_TEST(request.tools[0].name == "orders_good");
    BOOST_TEST(bench.record("a:tools")->outcome->value_json.find("\"orders\",\"dropped\"") ==
               std::string::npos);
    BOOST_TEST(bench.record("a:tools")->outcome->value_json.find("its inputSchema is unusable") !=
               std::string::npos);
}

// B14: the list is frozen for the run.
BOOST_AUTO_TEST_CASE(a_server_that_changes_its_tools_changes_nothing_for_a_run) {
    Bench bench;
    auto& orders = bench.server("orders");
    orders.add("a", [&](const JsonObject&, Call&) -> Result<ToolResult> {
        orders.listed.tools.clear();
        orders.runs.clear();
        return text_result("gone now");
    });
    bench.model->say(calls({call_block("c1", "orders_a", "{}")}));
    bench.model->say(calls({call_block("c2", "orders_a", "{}")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(bench.model->requests().back().tools.size() == 1u);
    BOOST_TEST(bench.last_results()[0].is_error); // the vanished tool's call
    BOOST_TEST(orders.lists == 1);
}

BOOST_AUTO_TEST_CASE(an_optional_server_that_cannot_start_contributes_nothing) {
    Bench bench;
    auto& orders = bench.server("orders");
    orders.list_error = not_done("start_failed", "no such file");
    bench.agent.options.mcp_servers[0].optional = true;
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(orders.lists == 1);
    BOOST_TEST(bench.record("a:tools")->outcome->value_json.find("no such file") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_allow_list_hides_a_servers_other_tools) {
    Bench bench;
    auto& orders = bench.server("orders");
    const auto nothing = [](const JsonObject&, Call&) -> Result<ToolResult> {
        return text_result("x");
    };
    orders.add("lookup", nothing);
    orders.add("cancel", nothing);
    bench.agent.options.mcp_servers[0].tools = {{"lookup"}};
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(bench.model->requests().back().tools.size() == 1u);
}

BOOST_AUTO_TEST_CASE(an_undeclared_tool_id_is_refused) {
    Bench bench;
    bench.capability("workflow-kv").add("kv_store", nullptr);
    bench.use("workflow-kv_kv_store");
    bench.catalogue.clear();
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::failed));
    BOOST_TEST(finished.error->code == "unregistered_tool");
}

BOOST_AUTO_TEST_CASE(a_tool_that_the_catalogue_switches_off_is_not_offered_nor_its_section) {
    Bench bench;
    auto& kv = bench.capability("workflow-kv");
    kv.add("kv_store", nullptr);
    kv.add("kv_stats", nullptr);
    kv.listed.sections = {{"kv_store", "How to store."}, {"kv_stats", "How to count."}};
    bench.use("workflow-kv_*");
    bench.catalogue.clear();
    bench.catalogue["workflow-kv_kv_store"].enabled = false;
    bench.catalogue["workflow-kv_kv_stats"].auto_approve = true;
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    const auto request = bench.model->requests().back();
    BOOST_REQUIRE(request.tools.size() == 1u);
    BOOST_TEST(request.tools[0].name == "workflow-kv_kv_stats");
    BOOST_TEST(request.system == "How to count.");
}

BOOST_AUTO_TEST_SUITE_END()
