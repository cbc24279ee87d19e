// What of a configuration a run under way may take, by tables.
#include <boost/test/unit_test.hpp>

#include "base/text.hpp"
#include "compose/config_change.hpp"

namespace foxwedge::compose {
namespace {

const char* const before = R"({"name": "h", "journal": {"path": "/a"}, "provider": "p",
  "providers": {"p": {"config": {"url": "u"}}},
  "mcpServers": {"s": {"url": "u", "tools": ["a"]}},
  "agents": {"a": {"model": "m", "instructions": "i", "maxIterations": 3,
                   "tools": [{"use": "x", "timeout": "1s"}]}}})";

struct Row {
    const char* pointer;
    const char* value;
    const char* change; ///< the pointer told
    bool may;
};

Json with(const char* pointer, const char* value) {
    Json changed = *parse_json(before);
    Json* at = &changed;
    const std::string_view path(pointer + 1);
    for (const auto name : split(path, '/')) {
        if (at->is_array())
            at = &at->get_array()[static_cast<std::size_t>(name[0] - '0')];
        else
            at = &at->get_object()[name];
    }
    *at = *parse_json(value);
    return changed;
}

} // namespace

BOOST_AUTO_TEST_SUITE(config_change)

BOOST_AUTO_TEST_CASE(models_endpoints_times_budgets_and_caps_may_change_and_the_rest_not) {
    const Json from = *parse_json(before);
    for (const Row& row : std::initializer_list<Row>{
             {"/provider", R"("q")", "/provider", true},
             {"/providers/p/config/url", R"("v")", "/providers/p/config/url", true},
             {"/providers/q", "{}", "/providers/q", true},
             {"/prices", R"({"m": {"input": 1}})", "/prices", true},
             {"/agents/a/model", R"("n")", "/agents/a/model", true},
             {"/agents/a/budget", R"({"usd": 1})", "/agents/a/budget", true},
             {"/agents/a/maxIterations", "9", "/agents/a/maxIterations", true},
             {"/agents/a/tools/0/timeout", R"("2s")", "/agents/a/tools/0/timeout", true},
             {"/mcpServers/s/url", R"("v")", "/mcpServers/s/url", true},
             {"/mcpServers/t", "{}", "/mcpServers/t", true},
             {"/agents/b", "{}", "/agents/b", true},
             {"/agents/a/instructions", R"("j")", "/agents/a/instructions", false},
             {"/agents/a/tools/0/use", R"("y")", "/agents/a/tools/0/use", false},
             {"/agents/a/tools", "[]", "/agents/a/tools", false},
             {"/agents/a/guardrails", "[]", "/agents/a/guardrails", false},
             {"/agents/a/approval", "{}", "/agents/a/approval", false},
             {"/agents/a/prompt", R"("p")", "/agents/a/prompt", false},
             {"/mcpServers/s/tools", "[]", "/mcpServers/s/tools", false},
             {"/name", R"("i")", "/name", false}}) {
        const auto changes = differences(from, with(row.pointer, row.value));
        BOOST_TEST(changes == std::vector<std::string>{row.change},
                   boost::test_tools::per_element());
        BOOST_TEST(not_changeable(from, changes).empty() == row.may, row.pointer);
    }
}

BOOST_AUTO_TEST_CASE(another_place_of_the_journal_is_no_difference) {
    BOOST_TEST(differences(*parse_json(before), with("/journal/path", R"("/b")")).empty());
}

BOOST_AUTO_TEST_CASE(what_is_taken_away_is_a_difference) {
    Json less = *parse_json(before);
    less.get_object()["agents"].get_object().erase("a");
    const auto changes = differences(*parse_json(before), less);
    BOOST_TEST(changes == std::vector<std::string>{"/agents/a"}, boost::test_tools::per_element());
    BOOST_TEST(!not_changeable(*parse_json(before), changes).empty());
}

BOOST_AUTO_TEST_CASE(a_run_with_parts_of_its_own_takes_what_changed_and_keeps_them) {
    const Json root = *parse_json(R"({"a": {"model": "m", "maxIterations": 3,
        "tools": [{"use": "x", "timeout": "1s"}, "y", {"use": "z", "timeout": "1s"}]}})");
    // Another model, a shape, and without "y".
    const Json own = *parse_json(R"({"a": {"model": "mine", "maxIterations": 3, "output": {},
        "tools": [{"use": "x", "timeout": "1s"}, {"use": "z", "timeout": "1s"}]}})");
    const Json to = *parse_json(R"({"a": {"model": "n", "maxIterations": 5, "temperature": 1,
        "tools": [{"use": "x", "timeout": "1s"}, "y", {"use": "z", "timeout": "2s"}]}})");
    const Json changed = *parse_json(R"({"a": {"model": "mine", "maxIterations": 5, "output": {},
        "temperature": 1,
        "tools": [{"use": "x", "timeout": "1s"}, {"use": "z", "timeout": "2s"}]}})");
    BOOST_TEST((with_changes(own, root, to) == changed));
    BOOST_TEST((with_changes(root, root, to) == to));
    // What is said for this run itself counts, and what only says what the root's says does not.
    Json given = changed;
    given.get_object()["a"].get_object()["model"] = "n";
    BOOST_TEST((given_to(own, root, to) == given));
    BOOST_TEST((given_to(own, root, root) == own));
    Json less = root;
    less.get_object()["a"].get_object().erase("maxIterations");
    Json own_less = own;
    own_less.get_object()["a"].get_object().erase("maxIterations");
    BOOST_TEST((with_changes(own, root, less) == own_less));
}

BOOST_AUTO_TEST_CASE(a_record_is_read_back) {
    ConfigRecord record;
    record.config = *parse_json(before);
    record.changes = {"/agents/a/model"};
    record.providers["p"].native_transcript = true;
    record.forked = true;
    const auto again = config_record_from_json(to_text(to_json(record)));
    BOOST_REQUIRE(again.ok());
    BOOST_TEST((again->config == record.config));
    BOOST_TEST(again->changes == record.changes, boost::test_tools::per_element());
    BOOST_TEST(again->providers.at("p").native_transcript);
    BOOST_TEST(again->forked);
    BOOST_TEST(config_record_from_json("{}").error().code == "invalid_record");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace foxwedge::compose
