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
