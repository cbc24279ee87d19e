// The calls of one turn: side by side, alone, in order, malformed.
#include <boost/test/unit_test.hpp>

#include <condition_variable>
#include <set>
#include <thread>

#include "fixture.hpp"

using namespace foxwedge;
using namespace foxwedge::agent;
using run::Ended;

BOOST_AUTO_TEST_SUITE(turns)

BOOST_AUTO_TEST_CASE(calls_of_a_turn_run_side_by_side) {
    Bench bench;
    std::mutex mutex;
    std::condition_variable all_there;
    int there = 0;
    // Each waits for the others: one after another they would never end.
    bench.agent.tools = {tool({.name = "meet"}, [&](const JsonObject&) -> Result<Json> {
        std::unique_lock lock(mutex);
        ++there;
        all_there.notify_all();
        all_there.wait(lock, [&] { return there == 3; });
        return Json("met");
    })};
    bench.model->say(calls({call_block("c1", "meet", "{}"), call_block("c2", "meet", "{}"),
                            call_block("c3", "meet", "{}")}));
    bench.model->say(says("done"));
    BOOST_TEST((bench.execute().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(one_that_is_not_parallel_safe_runs_alone) {
    Bench bench;
    std::atomic<int> inside{0};
    std::atomic<bool> met{false};
    const auto body = [&](bool alone) {
        return [&, alone](const JsonObject&) -> Result<Json> {
            const int now = ++inside;
            for (int i = 0; i < 1000; ++i) {
                if (alone && inside > 1) met = true;
                std::this_thread::yield();
            }
            if (alone && now > 1) met = true;
            --inside;
            return Json("x");
        };
    };
    bench.agent.tools = {tool({.name = "free"}, body(false)),
                         tool({.name = "alone", .parallel_safe = false}, body(true))};
    std::vector<Block> all;
    for (int i = 0; i < 6; ++i)
        all.push_back(call_block("c" + std::to_string(i), i % 2 ? "alone" : "free", "{}"));
    bench.model->say(calls(all));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(!met);
}

BOOST_AUTO_TEST_CASE(one_at_a_time_means_in_the_order_of_the_calls) {
    Bench bench;
    bench.agent.options.parallel_tool_calls = 1;
    std::string order;
    bench.agent.tools = {tool({.name = "t"}, [&](const JsonObject& arguments) -> Result<Json> {
        order += std::string(view(arguments.at("n").get_string()));
        return Json("x");
    })};
    bench.model->say(
        calls({call_block("c1", "t", R"({"n":"a"})"), call_block("c2", "t", R"({"n":"b"})"),
               call_block("c3", "t", R"({"n":"c"})")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(order == "abc");
}

// B31: nothing is repaired, and the model is told what it wrote.
BOOST_AUTO_TEST_CASE(broken_arguments_go_back_with_tool_place_and_an_excerpt) {
    Bench bench;
    bench.own("look", "found");
    const std::string broken = "{\"a\": " + std::string(1000, 'x');
    bench.model->say(calls({call_block("c1", "look", broken), call_block("c2", "look", "{}")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    const std::string told = text_of(bench.last_results().at(0).content);
    for (const char* part : {"\"look\"", "not valid JSON", "{\"a\": xxx"})
        BOOST_TEST(told.find(part) != told.npos, told);
    BOOST_TEST(told.size() < 600u);
    BOOST_TEST(text_of(bench.last_results().at(1).content) == "found");
}

BOOST_AUTO_TEST_CASE(malformed_calls_are_finished_steps_beside_good_ones) {
    Bench bench;
    bench.own("look", "found");
    bench.model->say(calls({call_block("", "look", "{}"), call_block("same", "look", "{'a':1}"),
                            call_block("same", "nope", "{}"), call_block("odd id!", "look", "[]"),
                            call_block("ok", "look", "\n")}));
    bench.model->say(says("done"));
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    const std::pair<const char*, bool> wanted[] = {
        {"~0", false}, {"~1", true}, {"~2", true}, {"~3", true}, {"ok", false}};
    const auto results = bench.last_results();
    BOOST_REQUIRE(results.size() == std::size(wanted));
    std::set<std::string> wire_ids;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto record = bench.record("a:iter:0:tool:" + std::string(wanted[i].first));
        BOOST_REQUIRE_MESSAGE(record, wanted[i].first);
        BOOST_TEST(record->outcome->tool_error == wanted[i].second);
        BOOST_TEST(record->attempts.size() == 1u); // never retried
        BOOST_TEST(results[i].is_error == wanted[i].second);
        wire_ids.insert(results[i].call_id);
    }
    BOOST_TEST(wire_ids.size() == results.size());
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_SUITE_END()
