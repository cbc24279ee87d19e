// Branches: gates opened together, what holds nobody up, parks and failures with siblings under
// way.
#include <boost/test/unit_test.hpp>

#include <condition_variable>
#include <mutex>
#include <set>

#include "bench.hpp"

namespace foxwedge::run {
namespace {

/// A door that opens once: condition waits in place of sleeps.
class Door {
public:
    void open() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    bool pass() {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return open_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = false;
};

GateSpec gate(std::string name) {
    GateSpec spec;
    spec.name = std::move(name);
    spec.about_json = "{}";
    spec.allow = {"approve", "reject"};
    return spec;
}

Branch plain(std::string name, std::function<Result<StepValue>()> work) {
    return {{}, [name, work](Run& lane, const std::string&) -> Result<Json> {
                auto done = lane.step(name, {}, [&](StepCall&) { return work(); });
                if (!done) return done.error();
                return parse_json(done->value_json);
            }};
}
Branch gated(std::string name, std::function<Result<StepValue>()> work) {
    Branch branch = plain(name, std::move(work));
    branch.gate = gate(name + ":approval");
    return branch;
}

Result<Json> list(std::vector<Result<Json>> results) {
    JsonArray all;
    for (auto& result : results) {
        if (!result) return result.error();
        all.push_back(*result);
    }
    return Json(all);
}

} // namespace

BOOST_AUTO_TEST_SUITE(fan_outs)

BOOST_AUTO_TEST_CASE(verdicts_and_gates_go_on_record_in_one_commit) {
    Bench bench;
    const Workflow workflow = [](Run& run) -> Result<Json> {
        FanOut fan;
        fan.gates_name = "gates";
        fan.gates_json = R"(["asks","allowed"])";
        fan.branches.push_back(gated("a", [] { return number(1); }));
        auto allowed = gated("b", [] { return number(2); });
        allowed.gate->decided_json = R"({"answer":"approve","decidedBy":"system:rule"})";
        fan.branches.push_back(std::move(allowed));
        return list(run.fan_out(std::move(fan)));
    };
    const auto before = bench.journal.operations();
    BOOST_TEST((bench.execute(workflow).how == Ended::parked));
    BOOST_TEST(bench.journal.operations() - before == 4u); // open, gates, b, park
    const auto records = *bench.engine->records(bench.run);
    BOOST_TEST(records.size() == 4u);
    BOOST_TEST(bench.engine->gates({.run = bench.run})->size() == 1u);
    BOOST_TEST(bench.answer("approve").ok());
    const auto end = bench.execute(workflow);
    BOOST_TEST(end.outcome.value_json == "[1,2]");
    BOOST_TEST(bench.replay(workflow).outcome.value_json == "[1,2]");
}

BOOST_AUTO_TEST_CASE(the_intents_of_one_fan_out_go_in_one_commit) {
    Bench bench;
    const Workflow workflow = [](Run& run) -> Result<Json> {
        FanOut fan;
        for (int i = 0; i < 6; ++i)
            fan.branches.push_back({{}, [i](Run& lane, const std::string&) -> Result<Json> {
                                        StepOptions options;
                                        options.on_interrupted = OnInterrupted::ask;
                                        auto done = lane.step("s" + std::to_string(i), options,
                                                              [](StepCall&) { return number(1); });
                                        if (!done) return done.error();
                                        return Json(1);
                                    }});
        return list(run.fan_out(std::move(fan)));
    };
    const auto before = bench.journal.operations();
    BOOST_TEST((bench.execute(workflow).how == Ended::succeeded));
    BOOST_TEST(bench.journal.operations() - before == 9u); // open, intents, six outcomes, finish
}

BOOST_AUTO_TEST_CASE(an_ungated_call_does_not_wait_for_a_siblings_gate) {
    Bench bench;
    std::atomic<int> ran{0};
    const Workflow workflow = [&](Run& run) -> Result<Json> {
        FanOut fan;
        fan.gates_name = "gates";
        fan.at_most = 1; // and a waiting gate takes no slot
        fan.branches.push_back(gated("a", [&] { return number(++ran); }));
        fan.branches.push_back(plain("b", [&] { return number(++ran); }));
        fan.branches.push_back(plain("c", [&] { return number(++ran); }));
        return list(run.fan_out(std::move(fan)));
    };
    BOOST_TEST((bench.execute(workflow).how == Ended::parked));
    BOOST_TEST(ran == 2);
    BOOST_TEST(bench.answer("approve").ok());
    BOOST_TEST((bench.execute(workflow).how == Ended::succeeded));
    BOOST_TEST(ran == 3);
}

BOOST_AUTO_TEST_CASE(a_gate_that_is_answered_while_siblings_work_goes_on_at_once) {
    Bench bench;
    Door answered;
    std::atomic<bool> waited{false};
    ExecuteOptions options;
    options.events = [&](const Event& event) {
        if (event.kind == Event::Kind::gate_opened) BOOST_TEST(bench.answer("approve").ok());
    };
    const Workflow workflow = [&](Run& run) -> Result<Json> {
        FanOut fan;
        fan.gates_name = "gates";
        fan.branches.push_back(gated("a", [&] {
            answered.open();
            return number(1);
        }));
        fan.branches.push_back(plain("b", [&] {
            waited = answered.pass();
            return number(2);
        }));
        return list(run.fan_out(std::move(fan)));
    };
    const auto end = bench.execute(workflow, options);
    BOOST_TEST((end.how == Ended::succeeded));
    BOOST_TEST(waited);
}

BOOST_AUTO_TEST_CASE(a_failed_branch_lets_siblings_finish_closes_gates_and_names_the_first) {
    Bench bench;
    Door failed;
    std::atomic<int> ran{0};
    const Workflow workflow = [&](Run& run) -> Result<Json> {
        FanOut fan;
        fan.gates_name = "gates";
        fan.branches.push_back(gated("asks", [&] { return number(++ran); }));
        fan.branches.push_back(plain("slow", [&]() -> Result<StepValue> {
            BOOST_TEST(failed.pass());
            return number(++ran);
        }));
        fan.branches.push_back(plain("fails", [&]() -> Result<StepValue> {
            failed.open();
            return permanent("broken", "no");
        }));
        return list(run.fan_out(std::move(fan)));
    };
    const auto end = bench.execute(workflow);
    BOOST_TEST((end.how == Ended::failed));
    BOOST_TEST(ran == 1);
    const auto gates = *bench.engine->gates({.run = bench.run, .pending_only = false});
    BOOST_TEST((gates.at(0).status == journal::Gate::Status::cancelled));
    bool finished = false;
    for (const auto& record : bench.records())
        if (record.key.name == "slow") finished = record.outcome.has_value();
    BOOST_TEST(finished);
    const auto replayed = bench.replay(workflow);
    BOOST_TEST((replayed.how == Ended::failed), static_cast<int>(replayed.how));
}

BOOST_AUTO_TEST_CASE(the_error_is_that_of_the_first_failed_branch_in_call_order) {
    Bench bench;
    Door second;
    const Workflow workflow = [&](Run& run) -> Result<Json> {
        FanOut fan;
        fan.branches.push_back(plain("first", [&]() -> Result<StepValue> {
            BOOST_TEST(second.pass());
            return permanent("one", "one");
        }));
        fan.branches.push_back(plain("second", [&]() -> Result<StepValue> {
            second.open();
            return permanent("two", "two");
        }));
        for (auto& result : run.fan_out(std::move(fan)))
            if (!result && result.error().code != "cancelled") return result.error();
        return Json(0);
    };
    BOOST_TEST(bench.execute(workflow).error->code == "one");
    BOOST_TEST(bench.replay(workflow).error->code == "one");
}

BOOST_AUTO_TEST_CASE(no_more_bodies_run_at_a_time_than_allowed_and_an_exclusive_one_runs_alone) {
    Bench bench;
    std::atomic<int> now{0}, most{0};
    std::atomic<bool> alone{true};
    const auto body = [&](bool exclusive) {
        return [&, exclusive]() -> Result<StepValue> {
            const int here = ++now;
            for (int seen = most; here > seen && !most.compare_exchange_weak(seen, here);) {
            }
            if (exclusive && here != 1) alone = false;
            for (int i = 0; i < 200; ++i) std::this_thread::yield();
            if (exclusive && now != 1) alone = false;
            --now;
            return number(1);
        };
    };
    const auto end = bench.execute([&](Run& run) -> Result<Json> {
        FanOut fan;
        fan.at_most = 3;
        for (int i = 0; i < 24; ++i) {
            auto branch = plain("b" + std::to_string(i), body(i % 5 == 4));
            branch.exclusive = i % 5 == 4;
            fan.branches.push_back(std::move(branch));
        }
        return list(run.fan_out(std::move(fan)));
    });
    BOOST_TEST((end.how == Ended::succeeded));
    BOOST_TEST(most <= 3);
    BOOST_TEST(alone);
}

BOOST_AUTO_TEST_CASE(fan_outs_nest) {
    Bench bench;
    std::atomic<int> ran{0};
    const Workflow workflow = [&](Run& run) -> Result<Json> {
        FanOut outer;
        outer.at_most = 1;
        for (int i = 0; i < 3; ++i)
            outer.branches.push_back(
                {{}, [&, i](Run& lane, const std::string&) -> Result<Json> {
                     FanOut inner;
                     inner.gates_name = "gates" + std::to_string(i);
                     const auto name = std::to_string(i);
                     inner.branches.push_back(gated("g" + name, [&] { return number(++ran); }));
                     inner.branches.push_back(plain("p" + name, [&] { return number(++ran); }));
                     return list(lane.fan_out(std::move(inner)));
                 }});
        return list(run.fan_out(std::move(outer)));
    };
    int rounds = 0;
    Finished end = bench.execute(workflow);
    while (end.how == Ended::parked && rounds++ < 5) {
        while (bench.answer("approve").ok()) {
        }
        end = bench.execute(workflow);
    }
    BOOST_TEST((end.how == Ended::succeeded));
    BOOST_TEST(ran == 6);
    BOOST_TEST((bench.replay(workflow).outcome.value_json == end.outcome.value_json));
}

BOOST_AUTO_TEST_CASE(a_gate_that_nobody_answers_in_time_rejects_or_fails) {
    for (const std::string then : {"reject", "fail"}) {
        Bench bench;
        const Workflow workflow = [&](Run& run) -> Result<Json> {
            GateSpec spec = gate("go?");
            spec.timeout = Millis(60'000);
            spec.on_timeout = then;
            FOXWEDGE_TRY(decision, run.ask(spec));
            return Json(decision.as_object().at("answer"));
        };
        BOOST_TEST((bench.execute(workflow).how == Ended::parked));
        bench.clock.advance(Millis(60'001));
        const auto end = bench.execute(workflow);
        if (then == "fail") {
            BOOST_TEST((end.how == Ended::failed));
            BOOST_TEST(end.error->code == "gate_timeout");
        } else {
            BOOST_TEST(end.outcome.value_json == "\"reject\"");
        }
        BOOST_TEST((bench.replay(workflow).how == end.how));
    }
}

BOOST_AUTO_TEST_SUITE_END()
} // namespace foxwedge::run
