#define BOOST_TEST_MODULE guardrails
#include <boost/test/unit_test.hpp>

#include "plugin_host/plugin.hpp"

using foxwedge::plugin::array;
using foxwedge::plugin::object;
using foxwedge::plugin::Value;

namespace {

struct Fixture {
    plugin_host::Host host;
    std::vector<std::string> asked; ///< of the host's judge
    Value verdict = Value::parse(R"({"valid":true,"violations":[]})");
    foxwedge_status status = FOXWEDGE_OK;

    Fixture() {
        host.judge = [this](std::string_view what,
                            const Value& request) -> std::pair<foxwedge_status, Value> {
            asked.push_back(std::string(what) + ' ' + to_text(request));
            if (status != FOXWEDGE_OK) return {status, object({{"code", "broken"}})};
            if (what == "compile") return {FOXWEDGE_OK, object({{"handle", 7}})};
            if (what == "release") return {FOXWEDGE_OK, Value()};
            return {FOXWEDGE_OK, verdict};
        };
    }
};

constexpr auto subject =
    R"({"tool":"refund","arguments":{"cents":-1},"inputSchema":{"type":"object"},"agent":"a"})";

} // namespace

BOOST_FIXTURE_TEST_SUITE(the_schema_guardrail, Fixture)

BOOST_AUTO_TEST_CASE(allows_what_fits_and_compiles_a_schema_once) {
    plugin_host::Plugin plugin(host, FOXWEDGE_SCHEMA_FILE);
    auto guard = plugin.create("schema");
    BOOST_TEST(guard->placements() == FOXWEDGE_PLACEMENT_TOOL_ARGS);
    for (int n = 0; n < 2; ++n) {
        const auto outcome = guard->check(FOXWEDGE_PLACEMENT_TOOL_ARGS, Value::parse(subject));
        BOOST_TEST(outcome.result == object({{"action", "allow"}}));
    }
    guard.reset();
    const std::vector<std::string> expected = {R"(compile {"schema":{"type":"object"}})",
                                               R"(validate {"instance":{"cents":-1},"handle":7})",
                                               R"(validate {"instance":{"cents":-1},"handle":7})",
                                               R"(release {"handle":7})"};
    BOOST_TEST(asked == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(denies_with_every_violation_and_its_pointers) {
    plugin_host::Plugin plugin(host, FOXWEDGE_SCHEMA_FILE);
    auto guard = plugin.create("schema");
    verdict = Value::parse(R"({"valid":false,"violations":[
        {"instancePointer":"/cents","schemaPointer":"/properties/cents/minimum","message":"too small"},
        {"instancePointer":"","schemaPointer":"/required","message":"order is missing"}]})");
    const auto outcome = guard->check(FOXWEDGE_PLACEMENT_TOOL_ARGS, Value::parse(subject));
    BOOST_TEST(outcome.result.string("action") == "deny");
    BOOST_TEST(outcome.result["violations"] == verdict["violations"]);
    BOOST_TEST(outcome.result.string("message") ==
               "The arguments do not fit the tool's inputSchema:\n- /cents: too small\n"
               "- the whole: order is missing");
}

BOOST_AUTO_TEST_CASE(never_allows_when_the_judge_fails) {
    plugin_host::Plugin plugin(host, FOXWEDGE_SCHEMA_FILE);
    auto guard = plugin.create("schema");
    status = FOXWEDGE_E_INVALID;
    const auto broken = guard->check(FOXWEDGE_PLACEMENT_TOOL_ARGS, Value::parse(subject));
    BOOST_TEST(broken.status == FOXWEDGE_E_INVALID);
    status = FOXWEDGE_OK;
    verdict = object(); // an answer that says nothing
    const auto silent = guard->check(FOXWEDGE_PLACEMENT_TOOL_ARGS, Value::parse(subject));
    BOOST_TEST((silent.status != FOXWEDGE_OK || silent.result.string("action") == "deny"));
    host.missing = {FOXWEDGE_SERVICE_CHECK};
    auto alone = plugin.create("schema");
    const auto none = alone->check(FOXWEDGE_PLACEMENT_TOOL_ARGS, Value::parse(subject));
    BOOST_TEST(none.status == FOXWEDGE_E_UNSUPPORTED);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(the_secrets_guardrail, Fixture)

/// A detector that knows one secret.
void find_sesame(Fixture& fixture) {
    fixture.host.judge = [](std::string_view what,
                            const Value& request) -> std::pair<foxwedge_status, Value> {
        if (what != "find_secrets") return {FOXWEDGE_E_UNSUPPORTED, Value()};
        const std::string text(request.string("text"));
        Value found = array();
        for (auto at = text.find("sesame"); at != std::string::npos;
             at = text.find("sesame", at + 1))
            found.push(object({{"kind", "password"}, {"from", at}, {"to", at + 6}}));
        return {FOXWEDGE_OK, object({{"secrets", std::move(found)}})};
    };
}

BOOST_AUTO_TEST_CASE(denies_and_names_kind_and_place_but_never_the_secret) {
    find_sesame(*this);
    plugin_host::Plugin plugin(host, FOXWEDGE_SECRETS_FILE);
    auto guard = plugin.create("secrets");
    const auto outcome = guard->check(
        FOXWEDGE_PLACEMENT_TOOL_ARGS,
        Value::parse(R"({"tool":"x","arguments":{"a":[{"b/c":"open sesame"}],"d":"ok"}})"));
    BOOST_TEST(outcome.result.string("action") == "deny");
    BOOST_TEST(outcome.result.string("message") ==
               "This looks like a secret and may not pass:\n- password at /a/0/b~1c");
}

BOOST_AUTO_TEST_CASE(looks_at_what_passes_by_and_nothing_else) {
    find_sesame(*this);
    plugin_host::Plugin plugin(host, FOXWEDGE_SECRETS_FILE);
    auto guard = plugin.create("secrets");
    const auto action = [&](std::uint32_t placement, const char* subject_text) {
        return std::string(
            guard->check(placement, Value::parse(subject_text)).result.string("action"));
    };
    BOOST_TEST(action(FOXWEDGE_PLACEMENT_TOOL_RESULT,
                      R"({"tool":"x","arguments":{"p":"sesame"},"result":{"content":[]}})") ==
               "allow");
    BOOST_TEST(action(FOXWEDGE_PLACEMENT_TOOL_RESULT,
                      R"({"result":{"content":[{"type":"text","text":"sesame"}]}})") == "deny");
    BOOST_TEST(
        action(FOXWEDGE_PLACEMENT_INPUT,
               R"({"prompt":[{"role":"user","content":[{"type":"text","text":"sesame"}]}]})") ==
        "deny");
    BOOST_TEST(action(FOXWEDGE_PLACEMENT_OUTPUT,
                      R"({"content":[{"type":"image","mimeType":"image/png","data":"sesame"}]})") ==
               "allow");
    BOOST_TEST(action(FOXWEDGE_PLACEMENT_TOOL_DEFINITION,
                      R"({"server":"s","tool":{"name":"t","description":"sesame"}})") == "deny");
}

BOOST_AUTO_TEST_CASE(masks_every_secret_and_leaves_the_rest) {
    find_sesame(*this);
    plugin_host::Plugin plugin(host, FOXWEDGE_SECRETS_FILE);
    auto guard = plugin.create("secrets", object({{"action", "mask"}}));
    const auto outcome = guard->check(
        FOXWEDGE_PLACEMENT_OUTPUT,
        Value::parse(R"({"content":[{"type":"text","text":"é sesame, sesame."},{"n":1}]})"));
    BOOST_TEST(outcome.result.string("action") == "replace");
    BOOST_TEST(
        outcome.result["value"] ==
        Value::parse(
            R"([{"type":"text","text":"é [secret: password], [secret: password]."},{"n":1}])"));
    const auto name =
        guard->check(FOXWEDGE_PLACEMENT_TOOL_ARGS, Value::parse(R"({"arguments":{"sesame":1}})"));
    BOOST_TEST(name.result.string("action") == "deny"); // a name cannot be masked
}

BOOST_AUTO_TEST_CASE(lets_kinds_pass_that_the_configuration_names) {
    find_sesame(*this);
    plugin_host::Plugin plugin(host, FOXWEDGE_SECRETS_FILE);
    auto guard = plugin.create("secrets", object({{"allowKinds", array({"password"})}}));
    const auto outcome =
        guard->check(FOXWEDGE_PLACEMENT_TOOL_ARGS, Value::parse(R"({"arguments":"sesame"})"));
    BOOST_TEST(outcome.result.string("action") == "allow");
}

BOOST_AUTO_TEST_CASE(lets_nothing_pass_when_the_detector_is_silent) {
    verdict = object();
    plugin_host::Plugin plugin(host, FOXWEDGE_SECRETS_FILE);
    auto guard = plugin.create("secrets");
    const auto outcome =
        guard->check(FOXWEDGE_PLACEMENT_TOOL_ARGS, Value::parse(R"({"arguments":{}})"));
    BOOST_TEST(outcome.status != FOXWEDGE_OK);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(the_limits_guardrail, Fixture)

BOOST_AUTO_TEST_CASE(denies_what_is_over_a_limit_and_says_which) {
    plugin_host::Plugin plugin(host, FOXWEDGE_LIMITS_FILE);
    auto guard = plugin.create(
        "limits", Value::parse(R"({"maxBytes":100,"maxDepth":3,"maxTextBytes":20,"maxItems":3})"));
    const auto said = [&](const char* arguments) {
        Value about = object({{"arguments", Value::parse(arguments)}});
        const auto outcome = guard->check(FOXWEDGE_PLACEMENT_TOOL_ARGS, about);
        return outcome.result.string("action") == "allow"
                   ? std::string("allow")
                   : std::string(outcome.result.string("message"));
    };
    BOOST_TEST(said(R"({"a":{"b":[1,2,3]}})") == "allow");
    BOOST_TEST(said(R"({"a":{"b":[[]]}})") == "Too large: 4 levels at /a/b/0, allowed are 3.");
    BOOST_TEST(said(R"({"a":[1,2,3,4]})") == "Too large: 4 items at /a, allowed are 3.");
    BOOST_TEST(said(R"({"a":"123456789012345678901"})") ==
               "Too large: 21 bytes at /a, allowed are 20.");
    BOOST_TEST(said(R"({"a":{"1":"12345678901234567890","2":"12345678901234567890"},
                        "b":{"1":"12345678901234567890","2":"12345678901234567890"}})")
                   .find("bytes at the whole, allowed are 100.") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(cuts_the_texts_of_a_result_where_told_to) {
    plugin_host::Plugin plugin(host, FOXWEDGE_LIMITS_FILE);
    auto guard = plugin.create("limits", object({{"maxBytes", 2000}, {"action", "cut"}}));
    std::string text;
    while (text.size() < 3000) text += "日本";
    const Value content = array({object({{"type", "text"}, {"text", text}})});
    const Value result =
        object({{"content", content}, {"structuredContent", text}, {"isError", false}});
    const auto outcome =
        guard->check(FOXWEDGE_PLACEMENT_TOOL_RESULT, object({{"tool", "x"}, {"result", result}}));
    BOOST_TEST(outcome.result.string("action") == "replace");
    const auto& value = outcome.result["value"];
    BOOST_TEST(to_text(value).size() <= 2000u);
    BOOST_TEST(to_text(value).find("\xEF\xBF\xBD") == std::string::npos); // whole characters
    BOOST_TEST(!value.has("structuredContent"));
    BOOST_TEST(value.array("content").at(0).string("text").find("[cut: 3000 bytes in all]") !=
               std::string::npos);
    const auto denied = guard->check(FOXWEDGE_PLACEMENT_TOOL_ARGS, object({{"arguments", text}}));
    BOOST_TEST(denied.result.string("action") == "deny");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(the_rule_guardrail, Fixture)

BOOST_AUTO_TEST_CASE(decides_by_the_first_rule_that_holds) {
    plugin_host::Plugin plugin(host, FOXWEDGE_RULE_FILE);
    Value compiled = array(), seen;
    bool second = true;
    host.judge = [&](std::string_view what,
                     const Value& request) -> std::pair<foxwedge_status, Value> {
        if (what == "compile") {
            compiled.push(request["rule"]);
            return {FOXWEDGE_OK, object({{"handle", compiled.array().size()}})};
        }
        if (what == "release") return {FOXWEDGE_OK, Value()};
        seen = request["values"];
        return {FOXWEDGE_OK, object({{"value", second && request.integer("ruleHandle", 0) == 2}})};
    };
    auto guard = plugin.create("rule", Value::parse(R"({"rules":[
        {"if":"args.cents > 100000","message":"too much"},
        {"if":"tool == 'refund'","action":"require-approval","risk":"high"},
        {"if":"true","action":"stop"}]})"));
    const auto asks = guard->check(FOXWEDGE_PLACEMENT_TOOL_ARGS, Value::parse(subject));
    BOOST_TEST(asks.result == Value::parse(R"({"action":"require-approval","risk":"high",
                   "reason":"A rule forbids this: tool == 'refund'"})"));
    BOOST_TEST(seen.string("placement") == "tool-args");
    BOOST_TEST(seen["args"].integer("cents", 0) == -1);
    BOOST_TEST(seen.has("result"));
    second = false;
    const auto passes = guard->check(FOXWEDGE_PLACEMENT_TOOL_ARGS, Value::parse(subject));
    BOOST_TEST(passes.result.string("action") == "allow");
}

BOOST_AUTO_TEST_CASE(is_not_made_with_a_rule_that_cannot_be_compiled) {
    plugin_host::Plugin plugin(host, FOXWEDGE_RULE_FILE);
    status = FOXWEDGE_E_INVALID;
    BOOST_CHECK_THROW(plugin.create("rule", Value::parse(R"({"rules":[{"if":"1 +"}]})")),
                      plugin_host::NotCreated);
}

BOOST_AUTO_TEST_SUITE_END()
