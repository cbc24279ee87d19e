// Tools as the public C++ API has them: definition, handler, how a call may end, what the model is
// shown, and the same arrays in every dialect.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "agent/approval/cel.hpp"
#include "agent/manifest.hpp"
#include "fixture.hpp"

using namespace foxwedge;
using namespace foxwedge::agent;
using run::Ended;

namespace {

/// One call of `name`, then "done".
void one_call(Bench& bench, const char* name, const char* arguments = "{}") {
    bench.model->say(calls({call_block("c1", name, arguments)}));
    bench.model->say(says("done"));
}

Tool drop_index() {
    return tool({.name = "drop-index",
                 .description = "Drop a database index",
                 .input_schema =
                     *parse_json(R"({"type":"object","properties":{"name":{"type":"string"}}})"),
                 .output_schema = *parse_json(R"({"type":"object"})"),
                 .requires_approval = true,
                 .approval = ApprovalRule{.summary = "Drop ${args.name}"},
                 .annotations = {.title = "Drop index",
                                 .read_only = false,
                                 .destructive = true,
                                 .idempotent = false,
                                 .open_world = false},
                 .timeout = Millis(5000),
                 .effect = ToolEffect::once,
                 .parallel_safe = false},
                [](const JsonObject& arguments) -> Result<Json> {
                    return Json(JsonObject{{"dropped", arguments.at("name")}});
                });
}

std::string text_of_result(Bench& bench) {
    return text_of(bench.last_results().at(0).content);
}

} // namespace

BOOST_AUTO_TEST_SUITE(cpp_tools)

BOOST_AUTO_TEST_CASE(a_tool_is_one_definition_in_every_dialect) {
    Bench bench;
    bench.agent.tools = {
        drop_index(),
        tool({.name = "plain"}, [](const JsonObject&) -> Result<Json> { return Json("x"); })};
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));

    const JsonArray emitted = McpEmitter().emit(bench.agent.tools);
    const Json manifest = tool_manifest(bench.agent);
    const JsonArray& listed = *array_member(manifest, "tools");
    const Json recorded = *parse_json(bench.record("a:tools")->outcome->value_json);
    const JsonArray& frozen = *array_member(recorded, "tools");
    const auto offered = bench.model->requests().at(0).tools;
    BOOST_REQUIRE(emitted.size() == 2u);
    BOOST_REQUIRE(listed.size() == 2u);
    BOOST_REQUIRE(frozen.size() == 2u);
    BOOST_REQUIRE(offered.size() == 2u);

    BOOST_TEST(to_text(emitted[0]) ==
               R"({"name":"drop-index","title":"Drop index","description":"Drop a database index",)"
               R"("inputSchema":{"type":"object","properties":{"name":{"type":"string"}}},)"
               R"("outputSchema":{"type":"object"},"annotations":{"title":"Drop index",)"
               R"("readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,)"
               R"("openWorldHint":false}})");
    for (std::size_t i = 0; i < 2; ++i) {
        // The manifest adds approval; the record how the host runs the tool. The rest is the same
        // bytes.
        Json without = listed[i];
        for (const char* approval : {"requiresApproval", "approval"})
            without.get_object().erase(approval);
        BOOST_TEST(to_text(without) == to_text(emitted[i]));
        Json definition = frozen[i];
        for (const char* ours : {"id", "origin", "approval", "effect", "parallelSafe", "timeoutMs"})
            definition.get_object().erase(ours);
        BOOST_TEST(canonical_text(definition) == canonical_text(emitted[i]));
        BOOST_TEST(offered[i].name == *string_member(emitted[i], "name"));
        BOOST_TEST(offered[i].description == *string_member(emitted[i], "description"));
        BOOST_TEST(to_text(offered[i].input_schema) == to_text(*member(emitted[i], "inputSchema")));
    }
    BOOST_TEST(*bool_member(listed[0], "requiresApproval"));
    BOOST_TEST(to_text(emitted).find("pproval") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_server_stands_in_the_manifest_by_name_and_is_not_contacted) {
    Bench bench;
    auto& orders = bench.server("orders");
    orders.add("lookup", nullptr);
    BOOST_TEST(to_text(tool_manifest(bench.agent)) ==
               R"({"tools":[],"mcpServers":[{"name":"orders"}]})");
    BOOST_TEST(orders.lists == 0);
}

BOOST_AUTO_TEST_CASE(hints_reach_the_reviewer_and_gate_nothing_by_themselves) {
    Bench bench;
    Tool quiet = drop_index();
    quiet.options.requires_approval.reset();
    quiet.options.approval.reset();
    bench.agent.tools = {quiet};
    one_call(bench, "drop-index", R"({"name":"i"})");
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));

    Bench gated;
    gated.agent.tools = {drop_index()};
    one_call(gated, "drop-index", R"({"name":"i"})");
    BOOST_REQUIRE((gated.execute().how == Ended::parked));
    const Json about = *parse_json(gated.open_gates().at(0).about_json);
    BOOST_TEST(*bool_member(*member(about, "annotations"), "destructiveHint"));
    BOOST_TEST(*string_member(about, "summary") == "Drop i");
}

BOOST_AUTO_TEST_CASE(a_handler_gets_key_attempt_and_scope_of_its_step) {
    Bench bench;
    std::string key, agent_name;
    int attempt = 0;
    bench.agent.tools = {tool({.name = "look"}, [&](ToolCall& call) -> Result<ToolResult> {
        key = call.call.step_key;
        attempt = call.step.attempt();
        agent_name = call.call.scope.agent;
        return text_result("x");
    })};
    one_call(bench, "look");
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(key == bench.run + "/a:iter:0:tool:c1");
    BOOST_TEST(attempt == 1);
    BOOST_TEST(agent_name == "a");
}

BOOST_AUTO_TEST_CASE(tools_may_be_a_function_of_the_run_that_is_asked_before_the_record) {
    Bench bench;
    int asked = 0;
    bench.agent.more_tools = [&](run::Run& run) {
        ++asked;
        return std::vector<Tool>{
            tool({.name = "whoami"},
                 [id = run.id()](const JsonObject&) -> Result<Json> { return Json(id); })};
    };
    one_call(bench, "whoami");
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(text_of_result(bench) == bench.run);
    BOOST_TEST(asked == 1);
}

BOOST_AUTO_TEST_CASE(a_retry_of_its_own_outranks_the_agents) {
    Bench bench;
    std::atomic<int> tried{0};
    RetryPolicy twice;
    twice.max_attempts = 2;
    twice.initial_delay = Millis(0);
    twice.max_delay = Millis(0);
    bench.agent.tools = {
        tool({.name = "look", .retry = twice}, [&](ToolCall&) -> Result<ToolResult> {
            ++tried;
            return not_done("busy", "later");
        })};
    one_call(bench, "look");
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::failed));
    BOOST_TEST(finished.error->code == "busy");
    BOOST_TEST(tried == 2);
    BOOST_TEST(bench.record("a:iter:0:tool:c1")->attempts.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_timeout_of_its_own_is_the_handlers_deadline_and_an_unknown_outcome) {
    Bench bench;
    bench.world.retry.max_attempts = 1;
    bench.agent.tools = {
        tool({.name = "look", .timeout = Millis(1)}, [](ToolCall& call) -> Result<ToolResult> {
            while (!call.call.until.overdue()) std::this_thread::yield();
            return not_done("cancelled", "gave up");
        })};
    one_call(bench, "look");
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::failed));
    BOOST_TEST(finished.error->code == "timeout");
    BOOST_TEST((finished.error->certainty == Certainty::unknown));
}

BOOST_AUTO_TEST_CASE(what_follows_an_unknown_outcome_is_stated_or_derived) {
    enum class Then : unsigned char { again, asks, fails };
    struct {
        const char* row;
        ToolOptions options;
        Then then;
    } rows[] = {
        {"unstated", {.name = "t"}, Then::again},
        {"none", {.name = "t", .effect = ToolEffect::none}, Then::again},
        {"idempotent", {.name = "t", .effect = ToolEffect::idempotent}, Then::again},
        {"once", {.name = "t", .effect = ToolEffect::once}, Then::asks},
        {"destructive", {.name = "t", .annotations = {.destructive = true}}, Then::asks},
        {"destructive, idempotent",
         {.name = "t", .annotations = {.destructive = true, .idempotent = true}},
         Then::again},
        {"once, retry",
         {.name = "t", .effect = ToolEffect::once, .on_interrupted = "retry"},
         Then::again},
        {"once, fail",
         {.name = "t", .effect = ToolEffect::once, .on_interrupted = "fail"},
         Then::fails},
        {"none, ask",
         {.name = "t", .effect = ToolEffect::none, .on_interrupted = "ask"},
         Then::asks},
    };
    for (const auto& row : rows) {
        BOOST_TEST_CONTEXT(row.row) {
            Bench bench;
            std::atomic<int> ran{0};
            bench.agent.tools = {tool(row.options, [&](ToolCall&) -> Result<ToolResult> {
                if (++ran == 1) return unknown_outcome("connection_lost", "who knows");
                return text_result("x");
            })};
            one_call(bench, "t");
            const auto finished = bench.execute();
            if (row.then == Then::again) {
                BOOST_TEST((finished.how == Ended::succeeded));
                BOOST_TEST(ran == 2);
            } else if (row.then == Then::fails) {
                BOOST_TEST((finished.how == Ended::failed));
                BOOST_TEST(ran == 1);
            } else {
                BOOST_REQUIRE((finished.how == Ended::parked));
                const auto gate = bench.open_gates().at(0);
                BOOST_TEST(gate.step == "a:iter:0:tool:c1:unknown:0");
                BOOST_TEST(gate.kind == "unknown");
                BOOST_REQUIRE(bench.answer("again").ok());
                BOOST_TEST((bench.execute().how == Ended::succeeded));
                BOOST_TEST(ran == 2);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_person_may_give_the_result_of_a_call_whose_outcome_is_unknown) {
    Bench bench;
    bench.agent.options.max_approvals = 0; // such a question is no approval
    bench.agent.tools = {
        tool({.name = "t", .effect = ToolEffect::once}, [](ToolCall&) -> Result<ToolResult> {
            return unknown_outcome("connection_lost", "who knows");
        })};
    one_call(bench, "t");
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    BOOST_REQUIRE(bench.answer("use", R"("it was paid")").ok());
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(text_of_result(bench) == "it was paid");
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(an_exception_fails_the_step_for_good) {
    Bench bench;
    std::atomic<int> ran{0};
    bench.agent.tools = {tool({.name = "t"}, [&](const JsonObject&) -> Result<Json> {
        ++ran;
        throw std::runtime_error("oops");
    })};
    one_call(bench, "t");
    const auto finished = bench.execute();
    BOOST_REQUIRE((finished.how == Ended::failed));
    BOOST_TEST(finished.error->code == "internal");
    BOOST_TEST(ran == 1);
}

BOOST_AUTO_TEST_CASE(how_a_call_ended_decides_what_follows) {
    enum class Then : unsigned char { model, fails, retries, asks };
    const auto answered = [](Certainty certainty, const char* code = "failed") -> Error {
        return {code, "words", certainty, {}, {}};
    };
    struct {
        const char* row;
        Result<ToolResult> answer;
        Then own, mcp, mcp_returned;
    } rows[] = {
        {"isError", text_result("words", true), Then::model, Then::retries, Then::model},
        {"invalid", answered(Certainty::permanent, "invalid"), Then::model, Then::model,
         Then::model},
        {"unsupported", answered(Certainty::permanent, "unsupported"), Then::model, Then::model,
         Then::model},
        {"vanished", answered(Certainty::permanent, "unknown_tool"), Then::model, Then::model,
         Then::model},
        {"-32602", answered(Certainty::done_with_error, "invalid_params"), Then::model, Then::model,
         Then::model},
        {"failed", answered(Certainty::done_with_error), Then::retries, Then::retries, Then::model},
        {"transient", answered(Certainty::not_done), Then::retries, Then::retries, Then::retries},
        {"unknown", answered(Certainty::unknown), Then::retries, Then::retries, Then::retries},
        {"internal", answered(Certainty::permanent, "internal"), Then::fails, Then::fails,
         Then::model},
    };
    const auto check = [](const char* where, Then then, const auto& answer, const char* on_error) {
        BOOST_TEST_CONTEXT(where) {
            Bench bench;
            std::atomic<int> ran{0};
            bench.world.retry.max_attempts = 2;
            if (on_error) {
                bench.server("s").add("t", [&](const JsonObject&, Call&) -> Result<ToolResult> {
                    ++ran;
                    return answer;
                });
                bench.agent.options.mcp_servers[0].on_tool_error = on_error;
            } else {
                bench.agent.tools = {tool({.name = "t"}, [&](ToolCall&) -> Result<ToolResult> {
                    ++ran;
                    return answer;
                })};
            }
            one_call(bench, on_error ? "s_t" : "t");
            const auto finished = bench.execute();
            BOOST_TEST((finished.how == Ended::succeeded) == (then == Then::model));
            BOOST_TEST(ran == (then == Then::retries ? 2 : 1));
            if (then != Then::model) return;
            BOOST_TEST(bench.last_results().at(0).is_error);
            BOOST_TEST(text_of_result(bench) == "words");
        }
    };
    for (const auto& row : rows) {
        BOOST_TEST_CONTEXT(row.row) {
            check("own", row.own, row.answer, nullptr);
            check("mcp", row.mcp, row.answer, "fail");
            check("mcp, return", row.mcp_returned, row.answer, "return");
        }
    }
}

BOOST_AUTO_TEST_CASE(a_broken_promise_about_the_result_fails_an_own_tool_and_is_noted_of_a_server) {
    const Json promise =
        *parse_json(R"({"type":"object","properties":{"n":{"type":"number"}},"required":["n"]})");
    Bench own;
    own.own("t", JsonObject{{"n", "seven"}}).output_schema = promise;
    one_call(own, "t");
    const auto finished = own.execute();
    BOOST_REQUIRE((finished.how == Ended::failed));
    BOOST_TEST(finished.error->code == "invalid_result");
    BOOST_TEST(finished.error->message.find("/n") != std::string::npos);

    Bench server;
    auto& source = server.server("s");
    source.add("t", [](const JsonObject&, Call&) -> Result<ToolResult> {
        return result_of(JsonObject{{"n", "seven"}});
    });
    source.listed.tools[0].output_schema = promise;
    one_call(server, "s_t");
    BOOST_REQUIRE((server.execute().how == Ended::succeeded));
    BOOST_TEST(
        server.record("a:iter:0:tool:c1")->outcome->value_json.find("breaks its outputSchema") !=
        std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(projections)

BOOST_AUTO_TEST_CASE(a_projection_in_cel_is_what_the_model_reads) {
    Bench bench;
    bench.world.rules = &cel_language();
    ToolOptions& options = bench.own(
        "list-orders",
        *parse_json(R"({"orders":[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6}]})"));
    options.to_model_output =
        R"({"count": output.orders.size(), "ids": output.orders.slice(0, 5).map(o, o.id)})";
    one_call(bench, "list-orders");
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(text_of_result(bench) == R"({"count":6,"ids":[1,2,3,4,5]})");
    BOOST_TEST(bench.record("a:iter:0:tool:c1")->outcome->value_json.find(R"({"id":6})") !=
               std::string::npos);
    options.to_model_output = "\"changed\""; // what the model saw is on record
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(a_projection_is_compiled_before_the_first_model_call) {
    for (const char* text : {"output.orders.", "input.orders"}) {
        Bench bench;
        bench.world.rules = &cel_language();
        bench.own("t", "x").to_model_output = text;
        one_call(bench, "t");
        const auto finished = bench.execute();
        BOOST_REQUIRE((finished.how == Ended::failed));
        BOOST_TEST(bench.model->generated == 0);
    }
}

BOOST_AUTO_TEST_CASE(neither_an_error_nor_a_denial_is_projected) {
    for (const bool denied : {false, true}) {
        Bench bench;
        bench.agent.tools = {
            tool({.name = "t", .requires_approval = denied},
                 [](ToolCall&) -> Result<ToolResult> { return text_result("it broke", true); })};
        bench.agent.tools[0].to_model_output = [](const Json&) -> Result<Json> {
            return Json("projected");
        };
        one_call(bench, "t");
        if (denied) {
            BOOST_REQUIRE((bench.execute().how == Ended::parked));
            BOOST_REQUIRE(bench.answer("reject", "", "it broke").ok());
        }
        BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
        BOOST_TEST(text_of_result(bench).find("it broke") != std::string::npos);
    }
}

BOOST_AUTO_TEST_SUITE_END()
