// Ids, arguments, names: small machines by tables.
#include <boost/test/unit_test.hpp>

#include "agent/calls/arguments.hpp"
#include "agent/calls/call_ids.hpp"
#include "agent/calls/tool_ids.hpp"
#include "agent/calls/tool_table.hpp"
#include "agent/names.hpp"
#include "agent/prompt.hpp"
#include "agent/tool.hpp"
#include "agent/transcript.hpp"
#include "base/digest.hpp"

using namespace foxwedge;
using namespace foxwedge::agent;

BOOST_AUTO_TEST_SUITE(ids)

// B30: models number calls from zero each round, repeat ids, or leave them out.
BOOST_AUTO_TEST_CASE(a_calls_step_goes_by_the_providers_id_only_where_it_is_unique_and_plain) {
    struct {
        std::vector<std::string> given, want;
    } cases[] = {
        {{"a", "b"}, {"a", "b"}},
        {{"a", "a"}, {"~0", "~1"}},
        {{"a", "b", "a"}, {"~0", "b", "~2"}},
        {{"", ""}, {"~0", "~1"}},
        {{"look:0"}, {"~0"}},
        {{std::string(64, 'x'), std::string(65, 'y')}, {std::string(64, 'x'), "~1"}},
        {{"toolu_01-x"}, {"toolu_01-x"}},
    };
    for (const auto& one : cases) {
        const auto got = step_ids(one.given);
        BOOST_TEST(got == one.want, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(an_id_that_comes_again_in_a_later_turn_is_rewritten_on_the_wire) {
    WireIds ids;
    BOOST_TEST(ids.take("look_0", 0, 0) == "look_0");
    BOOST_TEST(ids.take("look_0", 1, 0) == "call_1_0");
    BOOST_TEST(ids.take("", 1, 1) == "call_1_1");
    BOOST_TEST(ids.take("call_2_0", 2, 1) == "call_2_0");
    BOOST_TEST(ids.take("", 2, 0) == "call_2_0_");
}

BOOST_AUTO_TEST_CASE(a_servers_tool_goes_by_a_plain_id_that_nothing_else_has) {
    const std::set<std::string, std::less<>> taken{"orders_own"};
    const auto hashed = [](const std::string& head, const std::string& whole) {
        return head + "_" + to_hex(sha256(whole)).substr(0, 12);
    };
    struct {
        std::string server, raw, want;
    } cases[] = {
        {"orders", "lookup-order", "orders_lookup-order"},
        {"orders", "own", hashed("orders_own", "orders/own")},
        {"orders", "a.b/c", hashed("orders_a_b_c", "orders/a.b/c")},
        {"orders", std::string(80, 'q'),
         hashed("orders_" + std::string(44, 'q'), "orders/" + std::string(80, 'q'))},
        {"o", "\xC3\xA4", hashed("o___", "o/\xC3\xA4")},
    };
    for (const auto& one : cases) {
        const std::string id = mcp_tool_id(one.server, one.raw, taken);
        BOOST_TEST(id == one.want);
        BOOST_TEST(is_plain_word(id));
    }
}

BOOST_AUTO_TEST_CASE(a_capabilitys_tool_id_leads_back_to_its_component) {
    BOOST_TEST(capability_tool_id("workflow-kv", "kv_store") == "workflow-kv_kv_store");
    BOOST_TEST(component_of("workflow-kv_kv_store") == "workflow-kv");
    BOOST_TEST(component_of("workflow-kv_*") == "workflow-kv");
    BOOST_TEST(capability_tool_id("workflow-script", "workflow") == "workflow");
    BOOST_TEST(component_of("workflow") == "workflow-script");
}

BOOST_AUTO_TEST_CASE(ids_with_a_colon_are_refused) {
    BOOST_TEST(check_id("support").ok());
    for (const char* id : {"", "a:b"}) BOOST_TEST(!check_id(id).ok());
}

BOOST_AUTO_TEST_CASE(step_names_are_the_documented_ones) {
    const std::string turn = turn_step("a", 2);
    const std::string call = call_step(turn, "c1");
    const std::string label = guardrail_label(1, "schema");
    const std::pair<std::string, std::string> names[] = {
        {turn, "a:iter:2"},
        {call, "a:iter:2:tool:c1"},
        {args_guardrail_step(call, label), "a:iter:2:tool:c1:args:guardrail:1-schema"},
        {args_guardrail_step(call, label, 2), "a:iter:2:tool:c1:args:guardrail:1-schema:edit:2"},
        {approval_step(call), "a:iter:2:tool:c1:approval"},
        {approval_step(call, 1), "a:iter:2:tool:c1:approval:edit:1"},
        {result_guardrail_step(call, label), "a:iter:2:tool:c1:result:guardrail:1-schema"},
        {result_approval_step(call), "a:iter:2:tool:c1:result:approval"},
        {question_step(call, "input", 0), "a:iter:2:tool:c1:input:0"},
        {gates_step(turn), "a:iter:2:gates"},
        {context_step(turn), "a:iter:2:context"},
        {repair_step(turn, 0), "a:iter:2:repair:0"},
        {output_guardrail_step(turn, label), "a:iter:2:guardrail:1-schema"},
        {input_guardrail_step("a", label), "a:input:guardrail:1-schema"},
        {tools_step("a"), "a:tools"},
        {definition_guardrail_step("a", label, "o_x"), "a:tools:guardrail:1-schema:o_x"},
        {discovery_step("a", "orders"), "a:mcp:orders:tools"},
    };
    for (const auto& [got, want] : names) BOOST_TEST(got == want);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(arguments)

// B28: a tool without parameters is called with an empty text.
BOOST_AUTO_TEST_CASE(blank_arguments_are_an_empty_object) {
    for (const char* text : {"", "  ", "\n\t"}) {
        auto read = parse_arguments(text);
        BOOST_REQUIRE(read.ok());
        BOOST_TEST(read->empty());
    }
}

BOOST_AUTO_TEST_CASE(arguments_that_are_no_object_are_an_error_and_never_repaired) {
    for (const char* text : {"[1]", "7", "null", "{\"a\":1", "{'a':1}", "{\"a\":1} x"}) {
        auto read = parse_arguments(text);
        BOOST_REQUIRE_MESSAGE(!read.ok(), text);
        BOOST_TEST(read.error().code == "invalid_arguments");
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(tool_definitions)

namespace {

Handler nothing() {
    return [](ToolCall&) -> Result<ToolResult> { return ToolResult(); };
}

} // namespace

BOOST_AUTO_TEST_CASE(a_tool_has_exactly_one_of_handler_and_workflow) {
    ToolOptions options;
    options.name = "t";
    BOOST_TEST(check_tool(tool(options, nothing())).ok());
    BOOST_TEST(!check_tool(workflow_tool(options)).ok());
    options.workflow = "w";
    BOOST_TEST(check_tool(workflow_tool(options)).ok());
    BOOST_TEST(!check_tool(tool(options, nothing())).ok());
    options.workflow.clear();
    options.app = "orders";
    BOOST_TEST(!check_tool(tool(options, nothing())).ok());
}

BOOST_AUTO_TEST_CASE(a_tools_name_is_a_plain_word_and_it_does_not_contradict_itself) {
    ToolOptions options;
    options.name = "has blank";
    BOOST_TEST(!check_tool(tool(options, nothing())).ok());
    options.name = "pay";
    options.requires_approval = false;
    options.approval.emplace();
    const Status status = check_tool(tool(options, nothing()));
    BOOST_REQUIRE(!status.ok());
    BOOST_TEST(status.error().code == "invalid_tool");
}

BOOST_AUTO_TEST_CASE(a_tool_may_give_any_json_value) {
    BOOST_TEST(to_text(to_json(result_of("hi"))) == R"({"content":[{"type":"text","text":"hi"}]})");
    BOOST_TEST(to_text(to_json(result_of(JsonObject{{"a", 1}}))) ==
               R"({"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}})");
}

BOOST_AUTO_TEST_CASE(the_list_is_sorted_by_origin_and_name_and_refuses_duplicates) {
    const auto offered = [](Origin origin, const char* source, const char* id) {
        Offered one;
        one.tool.origin = origin;
        one.tool.source = source;
        one.tool.id = origin == Origin::mcp ? "" : id;
        one.tool.definition.name = id;
        one.raw_name = id;
        return one;
    };
    auto list = merged({offered(Origin::mcp, "b", "z"), offered(Origin::mcp, "a", "y"),
                        offered(Origin::own, "", "b_z"), offered(Origin::capability, "kv", "kv_s"),
                        offered(Origin::own, "", "alpha")});
    BOOST_REQUIRE(list.ok());
    std::vector<std::string> ids;
    for (const auto& tool : *list) ids.push_back(tool.id);
    const std::vector<std::string> want{"alpha", "b_z", "kv_s", "a_y",
                                        "b_z_" + to_hex(sha256("b/z")).substr(0, 12)};
    BOOST_TEST(ids == want, boost::test_tools::per_element());

    auto twice = merged({offered(Origin::own, "", "x"), offered(Origin::workflow, "", "x")});
    BOOST_REQUIRE(!twice.ok());
    BOOST_TEST(twice.error().code == "duplicate_tool");
}

BOOST_AUTO_TEST_CASE(the_record_of_the_tools_is_read_back_as_it_was_written) {
    ToolTable table;
    table.provider = "p";
    table.model = "m";
    table.sections = {{"s", "text"}};
    table.dropped = {{"bad", "why"}};
    table.warnings = {"careful"};
    table.guardrail_placements = {{"0-schema", {"tool-args"}}};
    FrozenTool tool;
    tool.id = "pay";
    tool.definition.name = "pay";
    tool.definition.input_schema = JsonObject{{"type", "object"}};
    tool.approval = {ApprovalRule(), RuleSource::bare};
    table.tools.push_back(tool);
    const Json record = to_json(table);
    auto again = tool_table_from_json(record);
    BOOST_REQUIRE(again.ok());
    BOOST_TEST(to_text(to_json(*again)) == to_text(record));
    BOOST_TEST((again->find("pay")->approval.source == RuleSource::bare));

    Json newer = record;
    newer.get_object()["version"] = 2;
    BOOST_TEST(!tool_table_from_json(newer).ok());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(prompts)

BOOST_AUTO_TEST_CASE(input_is_filled_into_prompt_and_instructions) {
    const Json input = *parse_json(R"({"name":"Ann","order":{"id":7},"note":"${input.name}"})");
    struct {
        const char* text;
        const char* want;
    } cases[] = {
        {"Hello ${input.name}", "Hello Ann"},
        {"order ${input.order.id} ${input.order}", "order 7 {\"id\":7}"},
        {"$${input.name} stays", "${input.name} stays"},
        {"${other} $ {x} ${", "${other} $ {x} ${"},
        {"${input.note}", "${input.name}"}, // what arrives at run time is never expanded
    };
    for (const auto& one : cases) BOOST_TEST(*filled_text(one.text, input) == one.want);
    BOOST_TEST(filled_text("${input.age}", input).error().code == "missing_input");
}

BOOST_AUTO_TEST_CASE(a_prompt_tells_which_parts_of_the_input_it_names) {
    std::set<std::string> paths;
    add_input_paths(Json{{"text", "${input.a.b} $${input.no} ${inputs} ${input.open"}}, paths);
    BOOST_TEST(paths == std::set<std::string>{"a.b"}, boost::test_tools::per_element());
    add_input_paths(Json(JsonArray{"${input}"}), paths);
    BOOST_TEST(paths.count("") == 1u);
}

BOOST_AUTO_TEST_CASE(without_a_prompt_the_input_is_the_task) {
    BOOST_TEST(text_of(task_of({}, R"("hi")")->at(0).content) == "hi");
    BOOST_TEST(text_of(task_of({}, R"({"a":1})")->at(0).content) == R"({"a":1})");
    BOOST_TEST(task_of({}, "null").error().code == "missing_prompt");
    AgentOptions options;
    options.prompt = "do";
    BOOST_TEST(text_of(task_of(options, R"("hi")")->at(0).content) == "do");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(transcripts)

BOOST_AUTO_TEST_CASE(the_digest_is_a_chain_that_tells_how_texts_are_cut) {
    const std::vector<Message> task{{Role::user, {text_block("t")}}};
    Transcript a(task), b(task), c(task);
    BOOST_TEST(to_hex(a.digest()) == to_hex(b.digest()));
    a.append({}, {"ab", "c"});
    b.append({}, {"a", "bc"});
    c.append({}, {"ab", "c"});
    BOOST_TEST(to_hex(a.digest()) != to_hex(b.digest()));
    BOOST_TEST(to_hex(a.digest()) == to_hex(c.digest()));
    BOOST_TEST(a.groups().at(0).bytes == 3);
}

BOOST_AUTO_TEST_CASE(opaque_data_goes_back_only_to_the_adapter_and_family_that_made_it) {
    struct {
        const char* opaque;
        bool kept;
    } cases[] = {
        {R"({"format":"anthropic-messages","model":"claude-opus-4","signature":"x"})", true},
        {R"({"format":"anthropic-messages"})", true},
        {R"({"format":"openai-responses","model":"claude-opus-4"})", false},
        {R"({"format":"anthropic-messages","model":"claude-haiku"})", false},
        {R"({"model":"claude-opus-4"})", false},
    };
    for (const auto& one : cases) {
        Message message{Role::assistant, {text_block("t")}};
        message.content[0].opaque = *parse_json(one.opaque);
        strip_foreign_opaque(message, "anthropic-messages", "claude-opus-4-8");
        BOOST_TEST(!message.content[0].opaque.is_null() == one.kept, one.opaque);
    }
}

BOOST_AUTO_TEST_SUITE_END()
