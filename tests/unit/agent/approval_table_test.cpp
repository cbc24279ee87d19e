// Which approval rule applies, every row of the table, through agent(): from what is said about a
// tool to the gate that a person sees, or to a call that runs unasked.
#include <boost/test/unit_test.hpp>

#include "agent/approval/cel.hpp"
#include "fixture.hpp"
#include "named_rule.hpp"

using namespace foxwedge;
using namespace foxwedge::agent;
using run::Ended;

namespace {

/// What becomes of one call of `pay {"amount": 5}`.
enum class Fate : unsigned char { runs, gates, refused };

struct Expected {
    Fate fate;
    const char* source = ""; ///< `ruleSource`; refused: the error's code
    const char* summary = "";
};

/// A model that calls one tool, once.
struct TableBench : Bench {
    explicit TableBench(const char* tool_id) {
        world.rules = &cel_language();
        model->say(calls({call_block("c1", tool_id, R"({"amount":5})")}));
        model->say(says("done"));
    }
    FakeSource::Run pays() {
        return [this](const JsonObject&, Call&) -> Result<ToolResult> {
            ++paid;
            return text_result("paid");
        };
    }
    std::atomic<int> paid{0};
};

void check(TableBench& bench, const Expected& want) {
    auto finished = bench.execute();
    if (want.fate == Fate::refused) {
        BOOST_REQUIRE((finished.how == Ended::failed));
        BOOST_TEST(finished.error->code == want.source);
        BOOST_TEST(bench.model->generated == 0);
        return;
    }
    if (want.fate == Fate::gates) {
        BOOST_REQUIRE((finished.how == Ended::parked));
        BOOST_TEST(bench.paid == 0);
        const auto gates = bench.open_gates();
        BOOST_REQUIRE(gates.size() == 1u);
        const Json about = *parse_json(gates[0].about_json);
        BOOST_TEST(*string_member(about, "ruleSource") == want.source);
        BOOST_TEST(*string_member(about, "summary") == want.summary);
        BOOST_REQUIRE(bench.answer("approve").ok());
        finished = bench.execute();
    }
    BOOST_REQUIRE((finished.how == Ended::succeeded));
    BOOST_TEST(bench.paid == 1);
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

} // namespace

BOOST_AUTO_TEST_SUITE(approval_table)

BOOST_AUTO_TEST_CASE(a_tools_own_word_and_the_agents_default) {
    struct {
        const char* row;
        std::optional<bool> says;
        const char* own;
        const char* def;
        Expected want;
    } rows[] = {
        {"false, absent, absent", false, nullptr, nullptr, {Fate::runs}},
        {"false, absent, present", false, nullptr, "default", {Fate::runs}},
        {"false, present, absent", false, "own", nullptr, {Fate::refused, "invalid_tool"}},
        {"false, present, present", false, "own", "default", {Fate::refused, "invalid_tool"}},
        {"true, present, absent", true, "own", nullptr, {Fate::gates, "tool", "own"}},
        {"true, present, present", true, "own", "default", {Fate::gates, "tool", "own"}},
        {"true, absent, present",
         true,
         nullptr,
         "default",
         {Fate::gates, "agent-default", "default"}},
        {"true, absent, absent", true, nullptr, nullptr, {Fate::gates, "bare"}},
        {"absent, present, absent", {}, "own", nullptr, {Fate::gates, "tool", "own"}},
        {"absent, present, present", {}, "own", "default", {Fate::gates, "tool", "own"}},
        {"absent, absent, present",
         {},
         nullptr,
         "default",
         {Fate::gates, "agent-default", "default"}},
        {"absent, absent, absent", {}, nullptr, nullptr, {Fate::runs}},
    };
    for (const auto& row : rows) {
        BOOST_TEST_CONTEXT(row.row) {
            TableBench bench("pay");
            ToolOptions options;
            options.name = "pay";
            options.requires_approval = row.says;
            if (row.own) options.approval = named(row.own);
            bench.agent.tools.push_back(tool(options, [&bench](const JsonObject&) -> Result<Json> {
                ++bench.paid;
                return Json("paid");
            }));
            if (row.def) bench.agent.options.approval = named(row.def);
            check(bench, row.want);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_servers_predicate_places_its_tools_in_the_same_table) {
    struct {
        const char* predicate; ///< CEL over `tool`
        const char* def;
        Expected want;
    } rows[] = {
        {"false", "default", {Fate::runs}},
        {"tool.name != 'pay'", "default", {Fate::runs}},
        {"true", nullptr, {Fate::gates, "bare"}},
        {"tool.name == 'pay'", "default", {Fate::gates, "agent-default", "default"}},
        {"null", "default", {Fate::gates, "agent-default", "default"}}, // silence
        {"null", nullptr, {Fate::runs}},
        {"{'summary': 'server'}", "default", {Fate::gates, "mcp-predicate", "server"}},
        {"{'summary': 'server'}", nullptr, {Fate::gates, "mcp-predicate", "server"}},
        {"tool.owner == 'us'", "default", {Fate::gates, "predicate-failed"}},
        {"tool.owner == 'us'", nullptr, {Fate::gates, "predicate-failed"}},
        {"'yes'", nullptr, {Fate::gates, "predicate-failed"}},
        {"7", "default", {Fate::gates, "predicate-failed"}},
        {"{'summry': 'misspelt'}", nullptr, {Fate::gates, "predicate-failed"}},
        {"tool.name ==", nullptr, {Fate::gates, "predicate-failed"}},
    };
    for (const auto& row : rows) {
        BOOST_TEST_CONTEXT(row.predicate << (row.def ? ", a default" : "")) {
            TableBench bench("bank_pay");
            bench.server("bank").add("pay", bench.pays());
            bench.server_options["bank"].requires_approval.predicate = row.predicate;
            if (row.def) bench.agent.options.approval = named(row.def);
            check(bench, row.want);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_servers_answers_may_be_written_per_tool) {
    using Answers = std::map<std::string, std::optional<McpApproval::Answer>>;
    struct {
        const char* row;
        Answers answers;
        Expected want;
    } rows[] = {
        {"named: no", {{"pay", {false}}, {"*", {true}}}, {Fate::runs}},
        {"the rest: yes",
         {{"other", {false}}, {"*", {true}}},
         {Fate::gates, "agent-default", "default"}},
        {"named: a rule", {{"pay", {named("entry")}}}, {Fate::gates, "mcp-predicate", "entry"}},
        {"a name that the object lacks",
         {{"other", {true}}},
         {Fate::gates, "agent-default", "default"}},
        {"null is silence",
         {{"pay", std::nullopt}, {"*", {false}}},
         {Fate::gates, "agent-default", "default"}},
    };
    for (const auto& row : rows) {
        BOOST_TEST_CONTEXT(row.row) {
            TableBench bench("bank_pay");
            bench.server("bank").add("pay", bench.pays());
            bench.server_options["bank"].requires_approval.by_tool = row.answers;
            bench.agent.options.approval = named("default");
            check(bench, row.want);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_plugins_tool_answers_through_the_catalogue_and_an_agent_only_adds) {
    struct {
        const char* row;
        bool auto_approve;
        const char* entry;
        std::optional<bool> use_says;
        const char* use_rule;
        const char* def;
        Expected want;
    } rows[] = {
        {"auto", true, nullptr, {}, nullptr, "default", {Fate::runs}},
        {"auto beside a rule",
         true,
         "entry",
         {},
         nullptr,
         nullptr,
         {Fate::refused, "contradictory_approval"}},
        {"entry's rule",
         false,
         "entry",
         {},
         nullptr,
         "default",
         {Fate::gates, "catalogue", "entry"}},
        {"asks, a default",
         false,
         nullptr,
         {},
         nullptr,
         "default",
         {Fate::gates, "agent-default", "default"}},
        {"asks, bare", false, nullptr, {}, nullptr, nullptr, {Fate::gates, "bare"}},
        {"an agent adds a rule", true, nullptr, {}, "use", "default", {Fate::gates, "tool", "use"}},
        {"an agent adds a gate", true, nullptr, true, nullptr, nullptr, {Fate::gates, "bare"}},
        {"an agent takes one away",
         false,
         nullptr,
         false,
         nullptr,
         nullptr,
         {Fate::refused, "contradictory_approval"}},
    };
    for (const auto& row : rows) {
        BOOST_TEST_CONTEXT(row.row) {
            TableBench bench("bank_pay");
            bench.capability("bank").add("pay", bench.pays());
            bench.use("bank_pay", row.auto_approve);
            if (row.entry) bench.catalogue["bank_pay"].approval = named(row.entry);
            ToolOptions& use = bench.agent.options.tools.back();
            use.requires_approval = row.use_says;
            if (row.use_rule) use.approval = named(row.use_rule);
            if (row.def) bench.agent.options.approval = named(row.def);
            check(bench, row.want);
        }
    }
}

BOOST_AUTO_TEST_CASE(an_own_rule_replaces_the_default_whole) {
    TableBench bench("pay");
    ToolOptions options;
    options.name = "pay";
    options.approval.emplace();
    options.approval->risk = std::string("low");
    bench.agent.tools.push_back(
        tool(options, [](const JsonObject&) -> Result<Json> { return Json("paid"); }));
    ApprovalRule def = named("default");
    def.timeout = Millis(1000);
    def.allow = {"reject"};
    bench.agent.options.approval = def;
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    const auto gate = bench.open_gates().at(0);
    BOOST_TEST(!gate.deadline.has_value());
    const std::vector<std::string> allow{"approve", "reject", "edit"};
    BOOST_TEST(gate.allow == allow, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(true_takes_the_defaults_condition_and_annotations) {
    for (const bool asks : {false, true}) {
        TableBench bench("pay");
        ToolOptions options;
        options.name = "pay";
        options.requires_approval = true;
        bench.agent.tools.push_back(
            tool(options, [](const JsonObject&) -> Result<Json> { return Json("paid"); }));
        ApprovalRule def = named("Pay ${args.amount}");
        def.condition = asks ? "args.amount > 1.0" : "args.amount > 1000.0";
        def.risk = std::string("high");
        bench.agent.options.approval = def;
        const auto finished = bench.execute();
        BOOST_REQUIRE((finished.how == (asks ? Ended::parked : Ended::succeeded)));
        if (asks) {
            const Json about = *parse_json(bench.open_gates().at(0).about_json);
            BOOST_TEST(*string_member(about, "summary") == "Pay 5");
            BOOST_TEST(*string_member(about, "risk") == "high");
        } else {
            BOOST_TEST(bench.record("a:iter:0:tool:c1:approval")->outcome->value_json ==
                       R"({"answer":"approve","decidedBy":"system:rule"})");
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
