// What must not be done with a run, and what happens to who does it.
#include <boost/test/unit_test.hpp>

#include <mutex>
#include <thread>

#include "base/log.hpp"
#include "bench.hpp"

namespace foxwedge::run {
namespace {

struct Warnings final : Log {
    void write(LogLevel level, std::string_view, std::string_view,
               std::initializer_list<LogField> fields) override {
        if (level != LogLevel::warn) return;
        const std::lock_guard lock(mutex);
        for (const auto& field : fields)
            if (field.key == "step") steps.push_back(field.value);
    }
    std::mutex mutex;
    std::vector<std::string> steps;
};

GateSpec gate() {
    GateSpec spec;
    spec.name = "go?";
    spec.about_json = "{}";
    spec.allow = {"approve"};
    return spec;
}

Result<StepValue> one(StepCall&) {
    return number(1);
}

struct StepsInItsDestructor {
    Run& run;
    std::string& code;
    ~StepsInItsDestructor() {
        const auto done = run.step("late", {}, one);
        code = done ? "done" : done.error().code;
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(misuse)

BOOST_AUTO_TEST_CASE(a_name_used_twice_is_refused) {
    Bench bench;
    const auto end = bench.execute([](Run& run) -> Result<Json> {
        if (auto first = run.step("same", {}, one); !first) return first.error();
        const auto second = run.step("same", {}, one);
        return Json(second ? "done" : second.error().code);
    });
    BOOST_TEST(end.outcome.value_json == "\"duplicate_step\"");
}

BOOST_AUTO_TEST_CASE(a_colon_is_for_the_names_that_the_framework_makes) {
    Bench bench;
    std::atomic<int> ran{0};
    const auto end = bench.execute([&](Run& run) -> Result<Json> {
        BOOST_TEST(add_step(run, "a:b", 1, ran).error().code == "invalid_name");
        BOOST_TEST(run.now("a:now").error().code == "invalid_name");
        BOOST_TEST(run.random("a:dice").error().code == "invalid_name");
        BOOST_TEST(run.sleep("a:nap", Millis(0)).error().code == "invalid_name");
        FOXWEDGE_TRY(fine, add_step(run, "ab", 1, ran));
        return Json(fine);
    });
    BOOST_TEST((end.how == Ended::succeeded));
    BOOST_TEST(ran == 1);
}

BOOST_AUTO_TEST_CASE(a_step_inside_another_steps_body_is_refused) {
    Bench bench;
    std::string code;
    (void)bench.execute([&](Run& run) -> Result<Json> {
        auto done = run.step("outer", {}, [&](StepCall&) -> Result<StepValue> {
            const auto inner = run.step("inner", {}, one);
            code = inner ? "done" : inner.error().code;
            return number(1);
        });
        return Json(done.ok());
    });
    BOOST_TEST(code == "misuse");
}

BOOST_AUTO_TEST_CASE(a_step_in_the_body_of_what_is_no_container_is_refused) {
    Bench bench;
    std::string code;
    (void)bench.execute([&](Run& run) -> Result<Json> {
        auto done = run.step("outer", {}, [&](StepCall& call) -> Result<StepValue> {
            const auto inner = call.lane().step("inner", {}, one);
            code = inner ? "done" : inner.error().code;
            return number(1);
        });
        return Json(done.ok());
    });
    BOOST_TEST(code == "misuse");
}

BOOST_AUTO_TEST_CASE(a_step_on_a_stray_thread_is_refused) {
    Bench bench;
    std::string code;
    (void)bench.execute([&](Run& run) -> Result<Json> {
        std::thread([&] {
            const auto done = run.step("stray", {}, one);
            code = done ? "done" : done.error().code;
        }).join();
        return Json(1);
    });
    BOOST_TEST(code == "misuse");
}

BOOST_AUTO_TEST_CASE(a_step_on_the_lane_around_a_fan_out_is_refused) {
    Bench bench;
    std::string code;
    (void)bench.execute([&](Run& run) -> Result<Json> {
        FanOut fan;
        fan.branches.push_back({{}, [&](Run&, const std::string&) -> Result<Json> {
                                    const auto done = run.step("outer", {}, one);
                                    code = done ? "done" : done.error().code;
                                    return Json(1);
                                }});
        return run.fan_out(std::move(fan)).at(0);
    });
    BOOST_TEST(code == "misuse");
}

BOOST_AUTO_TEST_CASE(a_step_in_a_destructor_during_unwinding_is_refused_and_the_run_parks) {
    Bench bench;
    std::string code;
    const auto end = bench.execute([&](Run& run) -> Result<Json> {
        const StepsInItsDestructor guard{run, code};
        FOXWEDGE_TRY(decision, run.ask(gate()));
        return decision;
    });
    BOOST_TEST(code == "misuse");
    BOOST_TEST((end.how == Ended::parked));
}

BOOST_AUTO_TEST_CASE(swallowed_unwinding_parks_all_the_same_with_a_warning_that_names_the_step) {
    Bench bench;
    Warnings log;
    ExecuteOptions options;
    options.log = &log;
    bool thrown_again = false;
    const auto end = bench.execute(
        [&](Run& run) -> Result<Json> {
            try {
                (void)run.ask(gate());
            } catch (...) {
            }
            try {
                (void)run.step("after", {}, one);
            } catch (...) {
                thrown_again = true;
            }
            return Json("looks fine");
        },
        options);
    BOOST_TEST((end.how == Ended::parked));
    BOOST_TEST(thrown_again);
    BOOST_REQUIRE(log.steps.size() == 1u);
    BOOST_TEST(log.steps[0] == "go?");
    BOOST_TEST(!bench.engine->head(bench.run)->result.has_value());
}

BOOST_AUTO_TEST_CASE(swallowed_unwinding_in_a_branch_parks_too) {
    Bench bench;
    Warnings log;
    ExecuteOptions options;
    options.log = &log;
    const auto end = bench.execute(
        [&](Run& run) -> Result<Json> {
            FanOut fan;
            for (int i = 0; i < 2; ++i)
                fan.branches.push_back({{}, [i](Run& lane, const std::string&) -> Result<Json> {
                                            GateSpec spec = gate();
                                            spec.name += std::to_string(i);
                                            try {
                                                (void)lane.ask(spec);
                                            } catch (...) {
                                            }
                                            return Json("fine");
                                        }});
            return run.fan_out(std::move(fan)).at(0);
        },
        options);
    BOOST_TEST((end.how == Ended::parked));
    BOOST_TEST(log.steps.size() == 2u);
}

BOOST_AUTO_TEST_CASE(code_that_must_not_be_unwound_gets_an_error_instead) {
    Bench bench;
    std::string code;
    const auto end = bench.execute([&](Run& run) -> Result<Json> {
        StepOptions options;
        options.container = true;
        const auto done = run.try_step("asks", options, [](StepCall& call) -> Result<StepValue> {
            call.lane().unwinds(false);
            const auto decision = call.lane().ask(gate());
            if (!decision) return decision.error();
            return number(1);
        });
        code = done ? "done" : done.error().code;
        return Json(1);
    });
    BOOST_TEST(code == "parked");
    BOOST_TEST((end.how == Ended::parked));
}

BOOST_AUTO_TEST_CASE(another_step_than_recorded_ends_the_run_untouched) {
    Bench bench;
    const auto asks = [](const char* name) -> Workflow {
        return [name](Run& run) -> Result<Json> {
            if (auto done = run.step(name, {}, one); !done) return done.error();
            FOXWEDGE_TRY(decision, run.ask(gate()));
            return decision;
        };
    };
    BOOST_TEST((bench.execute(asks("search")).how == Ended::parked));
    const auto before = bench.engine->records(bench.run)->size();
    const auto end = bench.execute(asks("save"));
    BOOST_TEST((end.how == Ended::replay_mismatch));
    BOOST_TEST(end.error->code == "replay_mismatch");
    BOOST_TEST(bench.engine->records(bench.run)->size() == before);
    BOOST_TEST((bench.replay(asks("save")).how == Ended::replay_mismatch));
    // B47: nothing tries it again by itself.
    BOOST_TEST((bench.engine->head(bench.run)->status == journal::RunStatus::waiting));
}

BOOST_AUTO_TEST_CASE(a_cancelled_run_starts_no_further_step_and_keeps_what_finished) {
    Bench bench;
    bool second = false;
    const auto end = bench.execute([&](Run& run) -> Result<Json> {
        auto done = run.step("first", {}, [&](StepCall& call) -> Result<StepValue> {
            BOOST_TEST(bench.engine->cancel(bench.run, "user:ann").ok());
            BOOST_TEST(call.until().stopped());
            return number(1);
        });
        second = run.step("second", {}, one).ok();
        return Json(done.ok());
    });
    BOOST_TEST((end.how == Ended::cancelled));
    BOOST_TEST(!second);
    BOOST_TEST(bench.engine->records(bench.run)->at(0).outcome.has_value());
    BOOST_TEST((bench.engine->head(bench.run)->status == journal::RunStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(a_late_owner_stops_with_its_lease_lost) {
    Bench bench;
    const auto late = bench.open();
    const auto other = bench.journal.process();
    const auto end =
        execute(*late,
                [&](Run& run) -> Result<Json> {
                    auto done = run.step("work", {}, [&](StepCall&) -> Result<StepValue> {
                        auto taken = other->open(bench.run, {.take_over = true});
                        BOOST_TEST(taken.ok());
                        if (taken)
                            BOOST_TEST((execute(**taken,
                                                [](Run& r) -> Result<Json> {
                                                    if (auto d = r.step("work", {}, one); !d)
                                                        return d.error();
                                                    return Json(1);
                                                },
                                                {})
                                            .how == Ended::succeeded));
                        return number(2);
                    });
                    return Json(done.ok());
                },
                {});
    BOOST_TEST((end.how == Ended::lost));
    const auto records = *bench.engine->records(bench.run);
    BOOST_TEST(records.size() == 1u);
    BOOST_TEST(records[0].outcome->value_json == "1");
}

BOOST_AUTO_TEST_SUITE_END()
} // namespace foxwedge::run
