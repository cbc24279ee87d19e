// Rules as hosts use them: over JSON, with nothing but the names they may use.
#include <boost/test/unit_test.hpp>

#include "rule/rule.hpp"

using namespace foxwedge;
using namespace foxwedge::rule;

namespace {

const std::vector<std::string> names{"tool", "args", "risk", "iteration"};

struct Call {
    Json tool = "refund";
    Json args =
        *parse_json(R"({"amount":1500.5,"id":9007199254740993,"count":7,"to":"ann@example.com",
        "lines":[{"sku":"a","n":2},{"sku":"b","n":1},{"sku":"a","n":5}],"none":null,"a b":1})");
    Json risk = "high";
    Json iteration = 2;
};

Result<Json> evaluated(std::string_view text) {
    auto rule = Rule::compile(text, names);
    BOOST_TEST_REQUIRE(rule.ok(), text << ": " << (rule ? "" : rule.error().message));
    static const Call call;
    const Json* values[] = {&call.tool, &call.args, &call.risk, &call.iteration};
    return rule->evaluate(values);
}
std::string value(std::string_view text) {
    auto result = evaluated(text);
    return result ? to_text(*result) : result.error().code + ": " + result.error().message;
}
Error refused(std::string_view text, const Limits& limits = {}) {
    auto rule = Rule::compile(text, names, limits);
    BOOST_TEST_REQUIRE(!rule.ok(), text);
    return rule.error();
}

} // namespace

BOOST_AUTO_TEST_SUITE(rules)

BOOST_AUTO_TEST_CASE(conditions_over_a_call) {
    BOOST_TEST(value("args.amount > 1000.0 || iteration > 3") == "true");
    BOOST_TEST(value("args.amount > 1000 && risk in ['high', 'critical']") == "true");
    BOOST_TEST(value("tool.startsWith('ref') && args.to.matches('^[a-z]+@example[.]com$')") ==
               "true");
    BOOST_TEST(value("args.lines.exists(l, l.n > 4) ? 'many' : 'few'") == "\"many\"");
    BOOST_TEST(value("has(args.amount) && !has(args.sum)") == "true");
    BOOST_TEST(value("args.none == null") == "true");
    BOOST_TEST(value("args['a b'] == 1") == "true");
}

BOOST_AUTO_TEST_CASE(int_and_double_mix) {
    BOOST_TEST(value("args.amount + 1") == "1501.5");
    BOOST_TEST(value("args.count % 2 == 1") == "true");
    BOOST_TEST(value("size(args.lines) * 1.5 > iteration") == "true");
    BOOST_TEST(value("args.lines[args.lines.size() - 1].n") == "5");
    BOOST_TEST(value("7 / 2") == "3");
    BOOST_TEST(value("args.count / 2") == "3.5");
    BOOST_TEST(value("iteration == 2 && iteration == 2.0") == "true");
    BOOST_TEST(value("'n=' + string(args.count)") == "\"n=7\"");
}

BOOST_AUTO_TEST_CASE(views_of_a_result) {
    BOOST_TEST(value("{'count': args.lines.size(), 'skus': args.lines.map(l, l.sku).distinct()}") ==
               R"({"count":3,"skus":["a","b"]})");
    BOOST_TEST(value("args.lines.slice(0, 2).map(l, l.n)") == "[2,1]");
    BOOST_TEST(value("args.lines.slice(1, 99).size()") == "2");
    BOOST_TEST(value("args.lines.first().n + args.lines.last().n") == "7");
    BOOST_TEST(value("args.lines.filter(l, l.sku == 'a').map(l, l.n > 2, l.n)") == "[5]");
    // What is only passed on keeps all its digits.
    BOOST_TEST(value("[args.id]") == "[9007199254740993]");
    BOOST_TEST(value("args.to.split('@')[1].upperAscii()") == "\"EXAMPLE.COM\"");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_evaluated_fails_with_a_reason) {
    BOOST_TEST(value("args.sum > 5") == "rule_failed: there is no member \"sum\"");
    BOOST_TEST(value("args.amount > 'a'").starts_with("rule_failed: no such overload"));
    BOOST_TEST(value("args.lines[3]").starts_with("rule_failed"));
    BOOST_TEST(value("1 / 0").starts_with("rule_failed"));
    BOOST_TEST(value("args.sum > 5 || true") == "true");
    BOOST_TEST(value("false && args.sum > 5") == "false");
    auto rule = Rule::compile("args", names);
    Json object(JsonObject{});
    const Json* values[] = {nullptr, &object, nullptr, nullptr};
    BOOST_TEST(rule->holds(values).error().message == "the rule gives a map, not a boolean");
    BOOST_TEST(Rule::compile("tool == 'x'", names)->holds(values).error().code == "rule_failed");
}

BOOST_AUTO_TEST_CASE(mistakes_are_placed_and_other_names_refused) {
    BOOST_TEST(refused("args.amount >").code == "rule_syntax");
    BOOST_TEST(refused("tool ==\n  'x").details == R"({"line":2,"column":3})");
    BOOST_TEST(refused("amount > 5").code == "rule_unknown_name");
    BOOST_TEST(refused("arg.amount > 5").message.find("did you mean \"args\"?") !=
               std::string::npos);
    BOOST_TEST(refused("now() > 5").message.find("no function \"now\"") != std::string::npos);
    BOOST_TEST(refused("size(1, 2)").message.find("not called like this") != std::string::npos);
    BOOST_TEST(refused("args.lines.exists(l.n > 3)").code == "rule_syntax");
    BOOST_TEST(refused("tool.matches('(')").code == "invalid_pattern");
    BOOST_TEST(refused("tool.matches('(?=a)')").code == "unsupported_pattern");
    for (auto text : {"", "1 +", "(1", "[1", "{1:2", "a b", "'x", "1..2", "if", "args.", "@",
                      "1 ? 2", "has(args)", "9223372036854775808", "{'a' 1}"})
        BOOST_TEST(refused(text).code.starts_with("rule_"), text);
}

BOOST_AUTO_TEST_CASE(size_depth_and_work_are_bounded) {
    BOOST_TEST(refused(std::string(20'000, ' ') + "1").code == "rule_too_complex");
    BOOST_TEST(refused(std::string(5'000, '(')).code == "rule_too_complex");
    BOOST_TEST(refused("1" + std::string(5'000, '[')).code == "rule_too_complex");
    std::string sum = "1";
    for (int i = 0; i < 4'000; ++i) sum += "+1";
    BOOST_TEST(refused(sum).code == "rule_too_complex");
    BOOST_TEST(refused(std::string(5'000, '!') + "true").code == "rule_too_complex");
    std::string range = "[1";
    for (int i = 0; i < 99; ++i) range += ",1";
    range += "]";
    BOOST_TEST(value(range + ".map(a, " + range + ".map(b, " + range + ".map(c, a + b + c)))") ==
               "rule_failed: the rule takes too many steps");
    std::string doubled = "args.to";
    for (int i = 0; i < 30; ++i) doubled = "[" + doubled + "].map(s, s + s)[0]";
    BOOST_TEST(value(doubled) == "rule_failed: the rule takes too many steps");
}

BOOST_AUTO_TEST_SUITE_END()
