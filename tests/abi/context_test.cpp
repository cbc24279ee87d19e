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
