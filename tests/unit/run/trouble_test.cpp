// What the journal may answer to a write, and the ends of children.
#include <boost/test/unit_test.hpp>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "bench.hpp"

namespace foxwedge::run {
namespace {

/// An activation whose next writes are answered as told.
class Troubled final : public Forwarding {
public:
    Troubled(std::unique_ptr<journal::Activation> inner, ManualClock& clock,
             std::vector<journal::Verdict> answers)
        : Forwarding(std::move(inner)), clock_(clock), answers_(std::move(answers)) {}

    journal::Committed commit(journal::Batch batch) override {
        if (commits_ < answers_.size()) {
            const auto answer = answers_[commits_++];
            if (answer != journal::Verdict::recorded) {
                const auto items = batch.intents.size() + batch.completions.size() +
                                   batch.gates.size() + batch.checkpoints.size() +
                                   batch.children.size();
                journal::Committed done;
                done.verdicts.assign(items, answer);
                done.gate_ids.resize(batch.gates.size());
                done.explanation = "told so";
                return done;
            }
        }
        return Forwarding::commit(std::move(batch));
    }
    void await_change(const std::vector<journal::Wait>& waits, std::stop_token) override {
        for (const auto& wait : waits)
            if (wait.on == journal::Wait::On::time && wait.at > clock_.now())
                clock_.advance(wait.at - clock_.now());
    }

private:
    ManualClock& clock_;
    std::vector<journal::Verdict> answers_;
    std::size_t commits_ = 0;
};

struct Counted {
    std::atomic<int> ran{0};
    Workflow workflow = [this](Run& run) -> Result<Json> {
        FOXWEDGE_TRY(one, add_step(run, "one", 1, ran));
        FOXWEDGE_TRY(two, add_step(run, "two", 2, ran));
        return Json(one + two);
    };
};

using journal::Verdict;

} // namespace

BOOST_AUTO_TEST_SUITE(trouble)

BOOST_AUTO_TEST_CASE(a_full_journal_is_waited_for_without_running_the_body_again) {
    Bench bench;
    Counted counted;
    Troubled held(bench.open(), bench.clock, {Verdict::full, Verdict::full, Verdict::recorded});
    const auto end = execute(held, counted.workflow, {});
    BOOST_TEST((end.how == Ended::succeeded));
    BOOST_TEST(counted.ran == 2);
}

BOOST_AUTO_TEST_CASE(what_never_fits_fails_the_run_instead_of_waiting_for_room) {
    Bench bench;
    const Workflow workflow = [](Run& run) -> Result<Json> {
        FanOut fan;
        fan.gates_name = "verdicts";
        fan.gates_json = quoted(std::string(journal::Limits().max_value, 'x'));
        fan.branches.push_back({{}, [](Run&, const std::string&) { return Json(1); }, false});
        for (auto& one : run.fan_out(std::move(fan)))
            if (!one) return std::move(one).error();
        return Json("done");
    };
    const auto end = bench.execute(workflow);
    BOOST_TEST((end.how == Ended::failed));
    BOOST_REQUIRE(end.error.has_value());
    BOOST_TEST(end.error->code == "too_large");
    BOOST_TEST(end.error->message.find("verdicts") != std::string::npos);
    BOOST_TEST((bench.engine->head(bench.run)->status == journal::RunStatus::failed));
}

BOOST_AUTO_TEST_CASE(a_result_over_the_limit_fails_the_run_and_says_so) {
    Bench bench;
    ExecuteOptions options;
    options.max_value = 10;
    const Workflow workflow = [](Run&) -> Result<Json> { return Json("longer than that"); };
    const auto end = bench.execute(workflow, options);
    BOOST_TEST((end.how == Ended::failed));
    BOOST_TEST(end.error->code == "too_large");
    BOOST_TEST((bench.replay(workflow, options).how == Ended::failed));
}

BOOST_AUTO_TEST_CASE(a_run_that_finds_no_room_for_long_parks_and_is_resumed_later) {
    Bench bench;
    Counted counted;
    {
        Troubled held(bench.open(), bench.clock, std::vector<Verdict>(1000, Verdict::full));
        const auto end = execute(held, counted.workflow, {});
        BOOST_TEST((end.how == Ended::parked));
        BOOST_TEST(end.error->code == "journal_full");
        BOOST_TEST(end.wakes_at.has_value());
    }
    bench.clock.advance(Millis(60'000));
    BOOST_TEST((bench.execute(counted.workflow).how == Ended::succeeded));
    BOOST_TEST(counted.ran == 3);
}

BOOST_AUTO_TEST_CASE(a_medium_that_fails_ends_the_execution_and_shows_nothing_as_done) {
    Bench bench;
    Counted counted;
    bool shown = false;
    {
        Troubled held(bench.open(), bench.clock, {Verdict::io_error});
        const auto end = execute(held,
                                 [&](Run& run) -> Result<Json> {
                                     FOXWEDGE_TRY(one, add_step(run, "one", 1, counted.ran));
                                     shown = true;
                                     return Json(one);
                                 },
                                 {});
        BOOST_TEST((end.how == Ended::fault));
        BOOST_TEST(end.error->code == "journal_fault");
    }
    BOOST_TEST(!shown);
    BOOST_TEST((bench.execute(counted.workflow).how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(a_lost_lease_in_one_branch_stops_its_waiting_siblings) {
    Bench bench;
    ExecuteOptions options;
    options.stay_for_decisions = true;
    Troubled held(bench.open(), bench.clock, {Verdict::recorded, Verdict::lost});
    const auto end = execute(
        held,
        [&](Run& run) -> Result<Json> {
            FanOut fan;
            fan.gates_name = "gates";
            GateSpec gate;
            gate.name = "go?";
            gate.about_json = "{}";
            gate.allow = {"approve"};
            fan.branches.push_back(
                {gate, [](Run&, const std::string&) -> Result<Json> { return Json(1); }});
            fan.branches.push_back({{}, [](Run& lane, const std::string&) -> Result<Json> {
                                        auto done = lane.step("work", {},
                                                              [](StepCall&) { return number(1); });
                                        if (!done) return done.error();
                                        return Json(1);
                                    }});
            return run.fan_out(std::move(fan)).at(0);
        },
        options);
    BOOST_TEST((end.how == Ended::lost));
}

BOOST_AUTO_TEST_CASE(a_cancel_ends_a_run_that_waits_in_place) {
    Bench bench;
    ExecuteOptions options;
    options.stay_for_decisions = true;
    std::thread canceller;
    options.events = [&](const Event& event) {
        if (event.kind == Event::Kind::gate_opened)
            canceller =
                std::thread([&] { BOOST_TEST(bench.engine->cancel(bench.run, "user:ann").ok()); });
    };
    const auto end = bench.execute(
        [](Run& run) -> Result<Json> {
            GateSpec gate;
            gate.name = "go?";
            gate.about_json = "{}";
            gate.allow = {"approve"};
            return run.ask(gate);
        },
        options);
    canceller.join();
    BOOST_TEST((end.how == Ended::cancelled));
}

BOOST_AUTO_TEST_CASE(ends_of_children_are_given_in_the_order_in_which_they_ended) {
    Bench bench;
    const Workflow parent = [](Run& run) -> Result<Json> {
        for (int i = 0; i < 3; ++i) {
            ChildSpec spec;
            spec.name = "start:" + std::to_string(i);
            spec.workflow = "sum";
            spec.input_json = std::to_string(i);
            if (auto started = run.start_child(spec); !started) return started.error();
        }
        JsonArray values;
        for (int i = 0; i < 3; ++i) {
            FOXWEDGE_TRY(end, run.next_child("end:" + std::to_string(i)));
            FOXWEDGE_TRY(value, parse_json(end.outcome.value_json));
            values.push_back(value);
        }
        BOOST_TEST(run.next_child("one more").error().code == "no_children");
        return Json(values);
    };
    BOOST_TEST((bench.execute(parent).how == Ended::parked));
    const auto children = *bench.engine->runs({.parent = bench.run});
    BOOST_REQUIRE(children.size() == 3u);
    for (const char* input : {"2", "0", "1"})
        for (const auto& child : children)
            if (child.input_json == input) {
                const auto held = bench.engine->open(child.id);
                (void)execute(
                    **held,
                    [](Run& run) -> Result<Json> { return parse_json(run.head().input_json); }, {});
            }
    const auto end = bench.execute(parent);
    BOOST_TEST(end.outcome.value_json == "[2,0,1]");
    BOOST_TEST((bench.replay(parent).outcome.value_json == "[2,0,1]"));
}

BOOST_AUTO_TEST_CASE(a_container_parks_with_its_checkpoint_and_goes_on_from_it) {
    Bench bench;
    int calls = 0;
    const Workflow workflow = [&](Run& run) -> Result<Json> {
        StepOptions options;
        options.container = true;
        auto done = run.step("remote", options, [&](StepCall& call) -> Result<StepValue> {
            ++calls;
            if (call.checkpoint().empty())
                FOXWEDGE_CHECK(call.save_checkpoint("task 17"));
            else
                BOOST_TEST(call.checkpoint() == "task 17");
            journal::Wait wait;
            wait.at = Time(Millis(1'790'000'060'000));
            if (!call.lane().wait_for(wait)) return parked();
            return StepValue{"\"done\""};
        });
        if (!done) return done.error();
        return parse_json(done->value_json);
    };
    const auto end = bench.execute(workflow);
    BOOST_TEST((end.how == Ended::parked));
    BOOST_TEST(end.wakes_at.has_value());
    bench.clock.advance(Millis(60'000));
    BOOST_TEST(bench.execute(workflow).outcome.value_json == "\"done\"");
    BOOST_TEST(calls == 2);
    BOOST_TEST(bench.replay(workflow).outcome.value_json == "\"done\"");
    BOOST_TEST(calls == 2); // answered by its outcome
}

BOOST_AUTO_TEST_SUITE_END()
} // namespace foxwedge::run
