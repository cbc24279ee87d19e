#include <boost/test/unit_test.hpp>

#include "bench.hpp"

namespace foxwedge::run {
BOOST_AUTO_TEST_SUITE(execute_tests)

BOOST_AUTO_TEST_CASE(a_run_ends_with_the_workflows_value) {
    Bench bench;
    const auto end = bench.execute([](Run&) -> Result<Json> { return Json(7); });
    BOOST_TEST((end.how == Ended::succeeded));
    BOOST_TEST(bench.engine->head(bench.run)->result->value_json == "7");
}

BOOST_AUTO_TEST_CASE(a_recorded_step_is_not_done_again) {
    Bench bench;
    std::atomic<int> ran{0};
    const Workflow workflow = [&](Run& run) -> Result<Json> {
        FOXWEDGE_TRY(one, add_step(run, "one", 1, ran));
        FOXWEDGE_TRY(two, add_step(run, "two", 2, ran));
        return Json(one + two);
    };
    bench.journal.cut(journal::Cut{bench.journal.operations() + 2, true}); // open, first step
    BOOST_TEST((bench.execute(workflow).how == Ended::lost));
    BOOST_TEST(ran == 1);
    bench.restart();
    const auto end = bench.execute(workflow);
    BOOST_TEST((end.how == Ended::succeeded));
    BOOST_TEST(end.outcome.value_json == "3");
    BOOST_TEST(ran == 2); // each once
}

BOOST_AUTO_TEST_CASE(branches_run_and_their_results_come_in_the_order_of_the_branches) {
    Bench bench;
    std::atomic<int> ran{0};
    const Workflow workflow = [&](Run& run) -> Result<Json> {
        FanOut fan;
        for (int i = 0; i < 5; ++i)
            fan.branches.push_back({{}, [&, i](Run& lane, const std::string&) -> Result<Json> {
                                        FOXWEDGE_TRY(
                                            v, add_step(lane, "b" + std::to_string(i), i * i, ran));
                                        return Json(v);
                                    }});
        JsonArray all;
        for (auto& result : run.fan_out(std::move(fan))) {
            if (!result) return result.error();
            all.push_back(*result);
        }
        return Json(all);
    };
    const auto end = bench.execute(workflow);
    BOOST_TEST((end.how == Ended::succeeded));
    BOOST_TEST(end.outcome.value_json == "[0,1,4,9,16]");
    BOOST_TEST(ran == 5);
    const auto again = bench.replay(workflow);
    BOOST_TEST((again.how == Ended::succeeded));
    BOOST_TEST(again.outcome.value_json == "[0,1,4,9,16]");
    BOOST_TEST(ran == 5);
}

BOOST_AUTO_TEST_CASE(a_gate_parks_the_run_until_it_is_answered) {
    Bench bench;
    const Workflow workflow = [](Run& run) -> Result<Json> {
        GateSpec gate;
        gate.name = "go?";
        gate.about_json = "{}";
        gate.allow = {"approve", "reject"};
        FOXWEDGE_TRY(decision, run.ask(gate));
        return Json(decision.as_object().at("answer"));
    };
    const auto parked = bench.execute(workflow);
    BOOST_TEST((parked.how == Ended::parked));
    BOOST_TEST(parked.waiting_for_decision_only);
    bench.restart();
    BOOST_TEST((bench.execute(workflow).how == Ended::parked));
    BOOST_TEST(bench.engine->gates({.run = bench.run})->size() == 1u);
    BOOST_TEST(bench.answer("approve").ok());
    const auto end = bench.execute(workflow);
    BOOST_TEST((end.how == Ended::succeeded));
    BOOST_TEST(end.outcome.value_json == "\"approve\"");
    BOOST_TEST((bench.replay(workflow).outcome.value_json == "\"approve\""));
}

BOOST_AUTO_TEST_CASE(the_workflows_error_fails_the_run) {
    Bench bench;
    const auto end =
        bench.execute([](Run&) -> Result<Json> { return permanent("broken", "no way"); });
    BOOST_TEST((end.how == Ended::failed));
    BOOST_TEST((bench.engine->head(bench.run)->status == journal::RunStatus::failed));
}

BOOST_AUTO_TEST_SUITE_END()
} // namespace foxwedge::run
