#define BOOST_TEST_MODULE context_strategies
#include <boost/test/unit_test.hpp>

#include "plugin_host/plugin.hpp"

using foxwedge::plugin::array;
using foxwedge::plugin::object;
using foxwedge::plugin::Value;

namespace {

/// A run as the host tells a strategy of it: groups are added, the state comes back.
struct Run {
    plugin_host::Host host;
    plugin_host::Plugin plugin;
    std::unique_ptr<plugin_host::Instance> strategy;
    Value config, added = array(), state = "";
    std::int64_t next = 0, used = 0, window = 0, reserve = 0;

    Run(const char* file, const char* id, const char* options)
        : plugin(host, file), config(Value::parse(options)) {
        strategy = plugin.create(id, config);
    }
    void add(std::int64_t tokens, bool is_summary = false) {
        added.push(object({{"n", next++},
                           {"tokens", tokens},
                           {"calls", 1},
                           {"bytes", tokens * 4},
                           {"isSummary", is_summary}}));
        used += tokens;
    }
    Value request() const {
        return object(
            {{"state", state},
             {"firstGroup", next - static_cast<std::int64_t>(added.array().size())},
             {"added", added},
             {"budget", object({{"contextWindow", window}, {"used", used}, {"reserve", reserve}})},
             {"config", config}});
    }
    plugin_host::Outcome ask() { return strategy->plan(request()); }
    Value plan() {
        const auto outcome = ask();
        BOOST_TEST(outcome.status == FOXWEDGE_OK, outcome.message);
        BOOST_TEST(to_text(strategy->plan(request()).result) == to_text(outcome.result)); // pure
        BOOST_TEST(outcome.result.string("state").size() <= 4096u);
        state = outcome.result["state"];
        added = array();
        return outcome.result;
    }
    std::int64_t keep_from() { return plan().integer("keepFrom", -1); }
};

} // namespace

BOOST_AUTO_TEST_SUITE(the_count_strategy)

BOOST_AUTO_TEST_CASE(shows_everything_while_there_is_little) {
    Run run(FOXWEDGE_COUNT_FILE, "count", R"({"strategy":"count","keepLast":3})");
    BOOST_TEST(run.keep_from() == 0);
    for (int n = 0; n < 3; ++n) {
        run.add(100);
        BOOST_TEST(run.keep_from() == 0);
    }
}

BOOST_AUTO_TEST_CASE(lets_the_oldest_exchange_go_as_a_whole) { // B55
    for (int keep = 1; keep <= 5; ++keep) {
        Run run(FOXWEDGE_COUNT_FILE, "count", to_text(object({{"keepLast", keep}})).c_str());
        for (int n = 1; n <= 12; ++n) {
            run.add(100);
            BOOST_TEST(run.keep_from() == std::max(0, n - keep));
            BOOST_TEST(run.keep_from() == std::max(0, n - keep)); // asked again, nothing added
        }
    }
}

BOOST_AUTO_TEST_CASE(refuses_to_keep_nothing) { // B55: a limit of 0
    Run run(FOXWEDGE_COUNT_FILE, "count", R"({"keepLast":0})");
    BOOST_TEST(run.ask().status == FOXWEDGE_E_INVALID);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(the_token_budget_strategy)

BOOST_AUTO_TEST_CASE(keeps_the_newest_exchanges_that_fit) {
    Run run(FOXWEDGE_BUDGET_FILE, "token-budget", R"({"maxTokens":1000})");
    run.used = 100; // system text, tools and task
    BOOST_TEST(run.keep_from() == 0);
    for (int n = 1; n <= 20; ++n) {
        run.add(200);
        BOOST_TEST(run.keep_from() == std::max(0, n - 4)); // 100 + 4 x 200
    }
}

BOOST_AUTO_TEST_CASE(cuts_between_exchanges_wherever_the_budget_falls) { // B55
    for (int budget = 350; budget <= 1200; budget += 50) {
        Run run(FOXWEDGE_BUDGET_FILE, "token-budget",
                to_text(object({{"maxTokens", budget}})).c_str());
        std::int64_t shown = 0;
        for (const int tokens : {300, 120, 80, 250, 90, 300}) {
            run.add(tokens);
            shown = run.keep_from();
        }
        std::int64_t fits = 0, first = 6;
        for (const int tokens : {300, 90, 250, 80, 120, 300})
            if ((fits += tokens) <= budget)
                --first;
            else
                break;
        BOOST_TEST(shown == first, budget);
    }
}

BOOST_AUTO_TEST_CASE(fails_when_the_newest_exchange_alone_does_not_fit) { // B55
    Run run(FOXWEDGE_BUDGET_FILE, "token-budget", R"({"maxTokens":1000})");
    run.used = 400;
    run.plan();
    run.add(700);
    const auto outcome = run.ask();
    BOOST_TEST(outcome.status == FOXWEDGE_E_INVALID);
    BOOST_TEST(outcome.code == "context_window_exceeded");
    BOOST_TEST(outcome.details.integer("limit", 0) == 1000);
}

BOOST_AUTO_TEST_CASE(stays_within_the_window_of_the_model) {
    Run run(FOXWEDGE_BUDGET_FILE, "token-budget", R"({"maxTokens":100000})");
    run.window = 1000;
    run.reserve = 400; // for the answer
    for (int n = 0; n < 5; ++n) run.add(200);
    BOOST_TEST(run.keep_from() == 2);
}

BOOST_AUTO_TEST_CASE(follows_the_count_of_the_provider) { // B58
    Run run(FOXWEDGE_BUDGET_FILE, "token-budget", R"({"maxTokens":1000})");
    for (int n = 0; n < 4; ++n) run.add(200);
    BOOST_TEST(run.keep_from() == 0);
    run.used *= 2; // the provider counts twice as much as was guessed
    BOOST_TEST(run.keep_from() == 2);
}

BOOST_AUTO_TEST_CASE(keeps_its_state_small_however_long_the_run) {
    Run run(FOXWEDGE_BUDGET_FILE, "token-budget", R"({"maxTokens":100000000})");
    for (int n = 0; n < 5000; ++n) {
        run.add(1000000);
        if (n % 250 == 0) run.plan(); // which looks at the size
    }
    const auto keep_from = run.keep_from();
    BOOST_TEST(keep_from >= 5000 - 100);
    BOOST_TEST(keep_from < 5000 - 50); // coarse, but not wasteful
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(the_summarize_strategy)

constexpr auto options = R"({"trigger":1000,"keepLast":2,"maxSummaryTokens":100,"model":"small"})";

BOOST_AUTO_TEST_CASE(asks_for_nothing_while_there_is_room) {
    Run run(FOXWEDGE_SUMMARIZE_FILE, "summarize", options);
    for (int n = 0; n < 5; ++n) {
        run.add(200);
        const auto plan = run.plan();
        BOOST_TEST(!plan.has("summarize"));
        BOOST_TEST(plan.integer("keepFrom", -1) == 0);
    }
}

BOOST_AUTO_TEST_CASE(lets_all_but_the_last_exchanges_be_summarised) {
    Run run(FOXWEDGE_SUMMARIZE_FILE, "summarize", options);
    for (int n = 0; n < 6; ++n) run.add(200);
    const auto plan = run.plan();
    BOOST_TEST(plan["summarize"] ==
               Value::parse(R"({"from":0,"to":4,"maxTokens":100,"model":"small"})"));
    BOOST_TEST(plan.integer("keepFrom", -1) == 4);
}

BOOST_AUTO_TEST_CASE(summarises_the_summary_with_what_came_after) {
    Run run(FOXWEDGE_SUMMARIZE_FILE, "summarize", options);
    for (int n = 0; n < 6; ++n) run.add(200);
    run.plan();
    run.add(90, true); // group 6: the summary of 0 to 3
    for (int n = 0; n < 2; ++n) {
        run.add(200);
        const auto plan = run.plan();
        BOOST_TEST(!plan.has("summarize"));
        BOOST_TEST(plan.integer("keepFrom", -1) == 4);
    }
    run.add(200); // 4, 5, summary, 7, 8, 9: 1,090 tokens
    const auto plan = run.plan();
    BOOST_TEST(plan["summarize"].integer("from", -1) == 4);
    BOOST_TEST(plan["summarize"].integer("to", -1) == 8);
}

BOOST_AUTO_TEST_CASE(does_not_try_again_at_once_after_a_useless_summary) { // B56
    Run run(FOXWEDGE_SUMMARIZE_FILE, "summarize", options);
    for (int n = 0; n < 6; ++n) run.add(200);
    std::vector<int> asked_after;
    for (int n = 0; n < 40; ++n) {
        if (run.plan().has("summarize")) asked_after.push_back(n); // and none ever comes
        run.add(200);
    }
    const std::vector<int> expected = {0, 2, 6, 14, 30};
    BOOST_TEST(asked_after == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(does_not_ask_where_a_summary_cannot_help) { // B56
    Run mostly_tools(FOXWEDGE_SUMMARIZE_FILE, "summarize", options);
    mostly_tools.used = 95000; // system prompt and tool schemas
    for (int n = 0; n < 6; ++n) mostly_tools.add(200);
    BOOST_TEST(!mostly_tools.plan().has("summarize"));
    Run one_large_result(FOXWEDGE_SUMMARIZE_FILE, "summarize", options);
    one_large_result.add(50000);
    BOOST_TEST(!one_large_result.plan().has("summarize"));
}

BOOST_AUTO_TEST_CASE(takes_a_share_of_the_window_as_its_trigger) {
    Run run(FOXWEDGE_SUMMARIZE_FILE, "summarize",
            R"({"trigger":0.5,"keepLast":1,"maxSummaryTokens":50})");
    run.window = 2000;
    for (int n = 0; n < 5; ++n) run.add(200);
    BOOST_TEST(!run.plan().has("summarize"));
    run.add(200);
    BOOST_TEST(run.plan()["summarize"].integer("to", -1) == 5);
}

BOOST_AUTO_TEST_CASE(never_covers_a_group_twice_and_never_leaves_one_out) {
    Run run(FOXWEDGE_SUMMARIZE_FILE, "summarize", options);
    std::int64_t kept = 0, worst = 0;
    for (int n = 0; n < 300; ++n) {
        run.add(50 + n * 37 % 300);
        const auto plan = run.plan();
        if (plan.has("summarize")) {
            BOOST_TEST(plan["summarize"].integer("from", -1) == kept);
            kept = plan["summarize"].integer("to", -1);
            run.add(80, true);
        }
        BOOST_TEST(plan.integer("keepFrom", -1) == kept);
        worst = std::max(worst, run.next - kept);
    }
    BOOST_TEST(worst < 30);
}

BOOST_AUTO_TEST_SUITE_END()
