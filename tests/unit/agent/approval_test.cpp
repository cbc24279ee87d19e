// The resolution table and rules, row by row.
#include <boost/test/unit_test.hpp>

#include <map>

#include "agent/approval/cel.hpp"
#include "agent/approval/evaluate.hpp"
#include "agent/approval/gate.hpp"
#include "agent/approval/resolution.hpp"
#include "named_rule.hpp"

using namespace foxwedge;
using namespace foxwedge::agent;

namespace {

/// A language of table lookups: the text is the key.
class FakeLanguage final : public RuleLanguage {
public:
    std::map<std::string, Result<Json>, std::less<>> answers;

    Result<std::shared_ptr<const CompiledRule>> compile(std::string_view text,
                                                        const std::vector<std::string>&) override {
        const auto found = answers.find(text);
        if (found == answers.end()) return permanent("invalid_rule", std::string(text));
        return std::shared_ptr<const CompiledRule>(std::make_shared<Fixed>(found->second));
    }

private:
    struct Fixed final : CompiledRule {
        explicit Fixed(Result<Json> value) : value_(std::move(value)) {}
        Result<Json> evaluate(std::span<const Json* const>) const override { return value_; }
        Result<Json> value_;
    };
};

FakeLanguage language() {
    FakeLanguage out;
    out.answers.emplace("yes", Json(true));
    out.answers.emplace("no", Json(false));
    out.answers.emplace("broken", permanent("rule_error", "no such member"));
    out.answers.emplace("seven", Json(7));
    return out;
}

RuleVerdict asked(const ApprovalRule& rule, const Json& arguments = JsonObject()) {
    FakeLanguage fake = language();
    auto compiled = CompiledApproval::compile(rule, &fake);
    BOOST_REQUIRE(compiled.ok());
    return compiled->ask({"pay", arguments, 2});
}

} // namespace

BOOST_AUTO_TEST_SUITE(resolution)

BOOST_AUTO_TEST_CASE(every_row_of_the_table_holds) {
    const auto own = named("own");
    const auto def = named("default");
    struct {
        const char* what;
        std::optional<bool> says;
        bool has_own, has_default;
        RuleSource source;
        const char* summary; ///< of the rule in force; null: no gate
    } rows[] = {
        {"false, absent", false, false, true, RuleSource::none, nullptr},
        {"false, absent, no default", false, false, false, RuleSource::none, nullptr},
        {"true, own", true, true, true, RuleSource::tool, "own"},
        {"true, own, no default", true, true, false, RuleSource::tool, "own"},
        {"true, default", true, false, true, RuleSource::agent_default, "default"},
        {"true, bare", true, false, false, RuleSource::bare, ""},
        {"absent, own", std::nullopt, true, true, RuleSource::tool, "own"},
        {"absent, default", std::nullopt, false, true, RuleSource::agent_default, "default"},
        {"absent, absent", std::nullopt, false, false, RuleSource::none, nullptr},
    };
    for (const auto& row : rows) {
        Stated stated;
        stated.requires_approval = row.says;
        if (row.has_own) stated.own = own;
        auto applied = resolve(stated, row.has_default ? std::optional(def) : std::nullopt);
        BOOST_REQUIRE_MESSAGE(applied.ok(), row.what);
        BOOST_TEST((applied->source == row.source), row.what);
        BOOST_REQUIRE_MESSAGE(applied->rule.has_value() == (row.summary != nullptr), row.what);
        if (row.summary) BOOST_TEST(applied->rule->summary == row.summary, row.what);
    }
}

BOOST_AUTO_TEST_CASE(false_beside_a_rule_is_a_contradiction) {
    Stated stated;
    stated.requires_approval = false;
    stated.own = named("own");
    auto applied = resolve(stated, std::nullopt);
    BOOST_REQUIRE(!applied.ok());
    BOOST_TEST(applied.error().code == "contradictory_approval");
}

BOOST_AUTO_TEST_CASE(a_predicates_answer_is_read_as_the_table_says) {
    struct {
        const char* answer;
        RuleSource source;
        bool gates;
    } rows[] = {
        {"null", RuleSource::agent_default, true},
        {"false", RuleSource::none, false},
        {"true", RuleSource::agent_default, true},
        {R"({"risk":"high"})", RuleSource::mcp_predicate, true},
        {R"({"failed":"no such member"})", RuleSource::predicate_failed, true},
        {"7", RuleSource::predicate_failed, true},
        {R"("yes")", RuleSource::predicate_failed, true},
    };
    for (const auto& row : rows) {
        auto applied = resolve(stated_by_predicate(*parse_json(row.answer)), named("default"));
        BOOST_REQUIRE_MESSAGE(applied.ok(), row.answer);
        BOOST_TEST((applied->source == row.source), row.answer);
        BOOST_TEST(applied->rule.has_value() == row.gates, row.answer);
    }
}

BOOST_AUTO_TEST_CASE(the_catalogue_speaks_for_a_capabilitys_tools) {
    CatalogueEntry entry;
    auto applied = resolve(stated_by_catalogue(entry), std::nullopt);
    BOOST_TEST((applied->source == RuleSource::bare));
    entry.auto_approve = true;
    BOOST_TEST(!resolve(stated_by_catalogue(entry), named("default"))->rule.has_value());
    entry.auto_approve = false;
    entry.approval = named("entry");
    BOOST_TEST(
        (resolve(stated_by_catalogue(entry), std::nullopt)->source == RuleSource::catalogue));
    entry.auto_approve = true;
    BOOST_TEST(!resolve(stated_by_catalogue(entry), std::nullopt).ok());
}

BOOST_AUTO_TEST_CASE(a_shadow_rule_is_noted_and_otherwise_absent) {
    ApprovalRule shadow = named("shadow");
    shadow.shadow = true;
    Stated stated;
    stated.own = shadow;
    BOOST_TEST((resolve(stated, named("default"))->source == RuleSource::agent_default));
    BOOST_TEST((shadow_of(stated, named("default")).source == RuleSource::tool));
    BOOST_TEST(!resolve(stated, std::nullopt)->rule.has_value());
    stated.requires_approval = true;
    BOOST_TEST((resolve(stated, std::nullopt)->source == RuleSource::bare));
    BOOST_TEST((shadow_of({}, shadow).source == RuleSource::agent_default));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(evaluation)

BOOST_AUTO_TEST_CASE(a_rule_gates_by_condition_and_by_risk) {
    struct {
        const char* condition;
        const char* risk;
        const char* min_risk;
        bool gates;
    } rows[] = {
        {"", "", "", true}, // neither: always
        {"yes", "", "", true},
        {"no", "", "", false},
        {"broken", "", "", true}, // what cannot be evaluated gates
        {"seven", "", "", true},
        {"", "low", "medium", false},
        {"", "medium", "medium", true},
        {"", "critical", "high", true},
        {"", "", "low", true},          // unset gates under minRisk
        {"no", "high", "medium", true}, // both: if either says so
        {"yes", "low", "medium", true},
        {"no", "low", "medium", false},
    };
    for (const auto& row : rows) {
        ApprovalRule rule;
        rule.condition = row.condition;
        rule.risk = std::string(row.risk);
        rule.min_risk = row.min_risk;
        BOOST_TEST(asked(rule).gates == row.gates,
                   row.condition << " " << row.risk << " " << row.min_risk);
    }
}

BOOST_AUTO_TEST_CASE(of_a_list_of_risks_the_first_true_one_wins_and_an_error_is_critical) {
    using Levels = std::vector<ApprovalRule::Level>;
    const std::pair<Levels, std::string> rows[] = {
        {{{"no", "low"}, {"yes", "high"}, {"yes", "low"}}, "high"},
        {{{"no", "low"}}, ""},
        {{{"broken", "low"}, {"yes", "low"}}, "critical"},
        {{}, ""},
    };
    for (const auto& [levels, want] : rows) {
        ApprovalRule rule;
        rule.risk = levels;
        BOOST_TEST(asked(rule).risk == want);
    }
}

BOOST_AUTO_TEST_CASE(why_a_rule_could_not_be_evaluated_is_shown) {
    ApprovalRule rule;
    rule.condition = "broken";
    BOOST_TEST(asked(rule).reason == "no such member");
}

BOOST_AUTO_TEST_CASE(a_condition_without_a_language_is_refused_and_not_ignored) {
    ApprovalRule rule;
    rule.condition = "yes";
    auto compiled = CompiledApproval::compile(rule, nullptr);
    BOOST_REQUIRE(!compiled.ok());
    BOOST_TEST(compiled.error().code == "invalid_rule");
}

BOOST_AUTO_TEST_CASE(a_summary_is_filled_in_from_the_call) {
    ApprovalRule rule;
    rule.summary = "${tool} ${args.amount} to ${args.to.name} (${risk}, turn ${iteration}) "
                   "${args.none} $${x} ${other}";
    rule.risk = "high";
    const Json arguments = *parse_json(R"({"amount":12.5,"to":{"name":"Ann"}})");
    BOOST_TEST(asked(rule, arguments).summary == "pay 12.5 to Ann (high, turn 2) ? ${x} ?");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(conditions)

BOOST_AUTO_TEST_CASE(a_condition_reads_the_call_in_cel) {
    struct {
        const char* condition;
        const char* arguments;
        bool gates;
    } rows[] = {
        {"args.amount > 1000.0 || iteration > 3", R"({"amount":2})", false},
        {"args.amount > 1000.0 || iteration > 3", R"({"amount":50000})", true},
        {"args.amount > 1000", R"({"amount":1000.5})", true}, // int and double mix
        {"tool == 'pay' && risk == 'high'", "{}", true},
        {"iteration >= 3", "{}", false},
        {"args.missing > 1", "{}", true},         // cannot be evaluated
        {"args.amount", R"({"amount":1})", true}, // no boolean
    };
    for (const auto& row : rows) {
        ApprovalRule rule;
        rule.condition = row.condition;
        rule.risk = std::string("high");
        auto compiled = CompiledApproval::compile(rule, &cel_language());
        BOOST_REQUIRE_MESSAGE(compiled.ok(), row.condition);
        const Json arguments = *parse_json(row.arguments);
        BOOST_TEST(compiled->ask({"pay", arguments, 2}).gates == row.gates, row.condition);
    }
}

BOOST_AUTO_TEST_CASE(a_condition_that_cannot_be_parsed_or_names_something_else_is_refused) {
    for (const char* condition : {"args.amount >", "amount > 1", "env.SECRET == 'x'"}) {
        ApprovalRule rule;
        rule.condition = condition;
        BOOST_TEST(!CompiledApproval::compile(rule, &cel_language()).ok(), condition);
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(decisions)

BOOST_AUTO_TEST_CASE(what_is_not_understood_is_a_rejection) {
    using Answer = GateDecision::Answer;
    const std::pair<const char*, Answer> rows[] = {
        {R"({"answer":"approve"})", Answer::approve},
        {R"({"answer":"reject"})", Answer::reject},
        {R"({"answer":"edit","arguments":{"a":1}})", Answer::edit},
        {R"({"answer":"edit","arguments":7})", Answer::reject},
        {R"({"answer":"edit"})", Answer::reject},
        {R"({"answer":"respond","value":"x"})", Answer::respond},
        {R"({"answer":"Approve"})", Answer::reject},
        {R"({})", Answer::reject},
        {"", Answer::reject},
    };
    for (const auto& [text, want] : rows)
        BOOST_TEST((gate_decision_from_json(text).answer == want), text);
}

BOOST_AUTO_TEST_CASE(a_denial_tells_the_model_why) {
    GateDecision decision;
    decision.reason = "too much";
    BOOST_TEST(text_of(denied_by(decision).shown()).find("too much") != std::string::npos);
    decision.decided_by = "system:timeout";
    BOOST_TEST(text_of(denied_by(decision).shown()).find("in time") != std::string::npos);
    BOOST_TEST(denied_by(decision).tool_error);
}

BOOST_AUTO_TEST_SUITE_END()
