#include "run/tree.hpp"

#include <boost/test/unit_test.hpp>

#include "base/clock.hpp"
#include "bench.hpp"

namespace foxwedge::run {
namespace {

/// A journal under the machine's clock: whoever waits, waits for real, if not for long.
struct Forest {
    journal::MemoryJournal journal;
    std::unique_ptr<journal::MemoryEngine> engine = journal.process();
    TreeOptions options;

    std::string start(const std::string& workflow) {
        journal::NewRun wanted;
        wanted.host = "test";
        wanted.workflow = workflow;
        wanted.input_json = "{}";
        return engine->start(wanted)->run;
    }
};

Result<Json> asks(Run& run) {
    GateSpec gate;
    gate.name = "go?";
    gate.about_json = "{}";
    gate.allow = {"approve"};
    FOXWEDGE_TRY(decision, run.ask(gate));
    return Json(decision.as_object().at("answer"));
}

Result<Json> naps(Run& run) {
    FOXWEDGE_CHECK(run.sleep("nap", Millis(3)));
    return Json(1);
}

Workflow with_child(std::string workflow) {
    return [workflow](Run& run) -> Result<Json> {
        ChildSpec spec;
        spec.name = "helper";
        spec.workflow = workflow;
        spec.input_json = "{}";
        FOXWEDGE_TRY(done, run.child(spec));
        if (done.outcome.error) return *done.outcome.error;
        return parse_json(done.outcome.value_json);
    };
}

Result<Workflow> workflow_of(const journal::RunHead& head) {
    if (head.workflow == "asks") return Workflow(asks);
    if (head.workflow == "naps") return Workflow(naps);
    if (head.workflow == "parent of naps") return with_child("naps");
    if (head.workflow == "parent of asks") return with_child("asks");
    return permanent("unknown_name", "there is no workflow " + head.workflow);
}

} // namespace

BOOST_AUTO_TEST_SUITE(trees)

BOOST_AUTO_TEST_CASE(a_tree_stays_for_timers_and_children) {
    Forest forest;
    forest.options.workflow = workflow_of;
    const auto end = run_tree(*forest.engine, forest.start("parent of naps"), forest.options);
    BOOST_REQUIRE(end.ok());
    BOOST_TEST((end->how == Ended::succeeded));
    BOOST_TEST(end->outcome.value_json == "1");
}

BOOST_AUTO_TEST_CASE(a_parent_stays_in_memory_while_its_child_is_under_way) {
    Forest forest;
    std::atomic<int> executed{0};
    forest.options.workflow = [&](const journal::RunHead& head) {
        if (head.workflow == "parent of naps") ++executed;
        return workflow_of(head);
    };
    const auto end = run_tree(*forest.engine, forest.start("parent of naps"), forest.options);
    BOOST_REQUIRE(end.ok());
    BOOST_TEST((end->how == Ended::succeeded));
    BOOST_TEST(executed == 1);
}

BOOST_AUTO_TEST_CASE(a_tree_ends_parked_when_only_decisions_are_left_and_goes_on_after_them) {
    Forest forest;
    forest.options.workflow = workflow_of;
    const auto run = forest.start("parent of asks");
    const auto parked = run_tree(*forest.engine, run, forest.options);
    BOOST_REQUIRE(parked.ok());
    BOOST_TEST((parked->how == Ended::parked));
    BOOST_TEST(parked->waiting_for_decision_only);
    const auto gates = *forest.engine->gates({.root = run});
    BOOST_REQUIRE(gates.size() == 1u);
    journal::Answer answer;
    answer.gate = gates[0].id;
    answer.digest = gates[0].digest;
    answer.answer = "approve";
    answer.decided_by = "user:ann";
    BOOST_TEST(forest.engine->answer(answer).ok());
    const auto end = run_tree(*forest.engine, run, forest.options);
    BOOST_REQUIRE(end.ok());
    BOOST_TEST((end->how == Ended::succeeded));
    BOOST_TEST(end->outcome.value_json == "\"approve\"");
    const auto again = run_tree(*forest.engine, run, forest.options);
    BOOST_TEST(again->outcome.value_json == "\"approve\"");
}

BOOST_AUTO_TEST_CASE(a_decision_taken_meanwhile_goes_on_in_place) {
    Forest forest;
    forest.options.workflow = workflow_of;
    forest.options.stay_for_decisions = true;
    const auto run = forest.start("parent of asks");
    forest.options.events = [&](const Event& event) {
        if (event.kind != Event::Kind::gate_opened) return;
        const auto gates = *forest.engine->gates({.root = run});
        journal::Answer answer;
        answer.gate = gates.at(0).id;
        answer.digest = gates[0].digest;
        answer.answer = "approve";
        answer.decided_by = "user:ann";
        BOOST_TEST(forest.engine->answer(answer).ok());
    };
    const auto end = run_tree(*forest.engine, run, forest.options);
    BOOST_REQUIRE(end.ok());
    BOOST_TEST((end->how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(a_run_without_code_fails) {
    Forest forest;
    forest.options.workflow = workflow_of;
    const auto end = run_tree(*forest.engine, forest.start("nowhere"), forest.options);
    BOOST_TEST((end->how == Ended::failed));
    BOOST_TEST(end->error->code == "unknown_name");
}

BOOST_AUTO_TEST_CASE(a_run_that_another_process_holds_is_refused) {
    Forest forest;
    forest.options.workflow = workflow_of;
    const auto other = forest.journal.process();
    const auto run = forest.start("asks");
    const auto held = other->open(run);
    BOOST_TEST(run_tree(*forest.engine, run, forest.options).error().code == "run_held");
}

BOOST_AUTO_TEST_SUITE_END()
} // namespace foxwedge::run
