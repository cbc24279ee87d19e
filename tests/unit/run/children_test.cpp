// Children of a run: in which commits they come into being and their ends are taken, what happens
// where an end comes at the wrong moment, and when their parent stays in memory for them.
#include <boost/test/unit_test.hpp>

#include "bench.hpp"

namespace foxwedge::run {
namespace {

/// Tells how many items of each kind a commit had.
class Counting final : public Forwarding {
public:
    using Forwarding::Forwarding;
    journal::Committed commit(journal::Batch batch) override {
        commits.push_back(std::to_string(batch.completions.size()) + " ends, " +
                          std::to_string(batch.children.size()) + " children");
        return Forwarding::commit(std::move(batch));
    }
    std::vector<std::string> commits;
};

/// The child ends while its parent makes up its mind to park: after the parent has looked for it.
class Racing final : public Forwarding {
public:
    Racing(std::unique_ptr<journal::Activation> inner, std::function<void()> end_child)
        : Forwarding(std::move(inner)), end_child_(std::move(end_child)) {}
    std::vector<journal::ChildEnd> inbox(std::uint64_t after) const override {
        // Whoever is to wait looks three times: when asked, before it waits, and as it begins to.
        if (looked_++ == 3) end();
        return Forwarding::inbox(after);
    }
    Status park(const std::vector<journal::Wait>& waits) override {
        end();
        return Forwarding::park(waits);
    }

private:
    void end() const {
        if (auto work = std::exchange(end_child_, nullptr)) work();
    }
    mutable std::function<void()> end_child_;
    mutable int looked_ = 0;
};

Status start(Run& run, int number) {
    ChildSpec spec;
    spec.name = "start:" + std::to_string(number);
    spec.workflow = "sum";
    spec.input_json = std::to_string(number);
    auto started = run.start_child(spec);
    return started ? Status() : Status(started.error());
}

Result<Json> next(Run& run, int number) {
    FOXWEDGE_TRY(end, run.next_child("end:" + std::to_string(number)));
    return parse_json(end.outcome.value_json);
}

/// Executes the children that are ready; each gives its input.
void end_children(Bench& bench) {
    const auto all = *bench.engine->runs({.parent = bench.run, .limit = 1000});
    for (const auto& child : all) {
        if (is_final(child.status)) continue;
        const auto held = bench.engine->open(child.id);
        (void)execute(
            **held, [](Run& run) -> Result<Json> { return parse_json(run.head().input_json); }, {});
    }
}

std::size_t children_of(Bench& bench) {
    return bench.engine->runs({.parent = bench.run, .limit = 1000})->size();
}

/// Starts `first` children, then one more for each end.
Workflow starting(int first, int all) {
    return [first, all](Run& run) -> Result<Json> {
        for (int i = 0; i < first; ++i) FOXWEDGE_CHECK(start(run, i));
        for (int i = 0; i < all; ++i) {
            if (const auto value = next(run, i); !value) return value.error();
            if (first + i < all) FOXWEDGE_CHECK(start(run, first + i));
        }
        return Json(all);
    };
}

using Texts = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_SUITE(children)

BOOST_AUTO_TEST_CASE(children_that_are_started_together_come_into_being_in_one_commit) {
    Bench bench;
    Counting held(bench.open());
    BOOST_TEST((execute(held, starting(3, 3), {}).how == Ended::parked));
    BOOST_TEST(held.commits == (Texts{"0 ends, 3 children", "3 ends, 0 children"}),
               boost::test_tools::per_element());
    BOOST_TEST(children_of(bench) == 3u);
}

BOOST_AUTO_TEST_CASE(a_commit_has_64_of_them_at_most) {
    Bench bench;
    Counting held(bench.open());
    BOOST_TEST((execute(held, starting(70, 70), {}).how == Ended::parked));
    BOOST_TEST(held.commits == (Texts{"0 ends, 64 children", "64 ends, 0 children",
                                      "0 ends, 6 children", "6 ends, 0 children"}),
               boost::test_tools::per_element());
    BOOST_TEST(children_of(bench) == 70u);
}

BOOST_AUTO_TEST_CASE(ends_are_written_with_the_starts_that_follow_them) {
    Bench bench;
    (void)bench.execute(starting(3, 5));
    end_children(bench);
    Counting held(bench.open());
    BOOST_TEST((execute(held, starting(3, 5), {}).how == Ended::parked));
    BOOST_TEST(held.commits == (Texts{"3 ends, 2 children", "2 ends, 0 children"}),
               boost::test_tools::per_element());
    end_children(bench);
    const auto end = bench.execute(starting(3, 5));
    BOOST_TEST(end.outcome.value_json == "5");
    BOOST_TEST(children_of(bench) == 5u);
    // Each step has its end, one after the other: a record without holes.
    std::uint32_t index = 0;
    for (const auto& record : bench.records()) {
        BOOST_TEST(record.key.index == index++);
        BOOST_TEST(record.outcome.has_value());
    }
    BOOST_TEST(index == 10u);
}

BOOST_AUTO_TEST_CASE(what_one_step_started_is_written_before_another_begins) {
    Bench bench;
    std::atomic<int> ran{0};
    Counting held(bench.open());
    (void)execute(held,
                  [&](Run& run) -> Result<Json> {
                      FOXWEDGE_CHECK(start(run, 0));
                      FOXWEDGE_TRY(one, add_step(run, "one", 1, ran));
                      return Json(one);
                  },
                  {});
    BOOST_TEST(held.commits ==
                   (Texts{"0 ends, 1 children", "1 ends, 0 children", "1 ends, 0 children"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_end_that_comes_while_its_parent_parks_makes_it_ready_at_once) {
    Bench bench;
    const Workflow parent = [](Run& run) -> Result<Json> {
        FOXWEDGE_CHECK(start(run, 7));
        FOXWEDGE_TRY(value, next(run, 0));
        FOXWEDGE_CHECK(start(run, 8)); // the run that goes on here would be unwound without a wait
        return value;
    };
    {
        Racing held(bench.open(), [&] { end_children(bench); });
        BOOST_TEST((execute(held, parent, {}).how == Ended::parked));
    }
    BOOST_TEST((bench.engine->head(bench.run)->status == journal::RunStatus::ready));
    BOOST_TEST(bench.execute(parent).outcome.value_json == "7");
}

BOOST_AUTO_TEST_CASE(a_child_that_nobody_executes_is_not_waited_for_in_memory) {
    Bench bench;
    ExecuteOptions options;
    options.stay_for_children = true;
    options.patience = Millis(1);
    BOOST_TEST((bench.execute(starting(1, 1), options).how == Ended::parked));
    BOOST_TEST((bench.engine->head(bench.run)->status == journal::RunStatus::waiting));
}

BOOST_AUTO_TEST_CASE(a_step_whose_time_is_limited_parks_on_its_children) {
    Bench bench;
    ExecuteOptions options;
    options.stay_for_children = true;
    options.patience = Millis(600'000);
    const Workflow parent = [](Run& run) -> Result<Json> {
        StepOptions step;
        step.container = true;
        step.timeout = Millis(600'000);
        auto done = run.step("tool", step, [](StepCall& call) -> Result<StepValue> {
            FOXWEDGE_CHECK(start(call.lane(), 1));
            FOXWEDGE_TRY(value, next(call.lane(), 0));
            return StepValue{to_text(value)};
        });
        if (!done) return done.error();
        return parse_json(done->value_json);
    };
    BOOST_TEST((bench.execute(parent, options).how == Ended::parked));
    end_children(bench);
    BOOST_TEST(bench.execute(parent, options).outcome.value_json == "1");
}

BOOST_AUTO_TEST_SUITE_END()
} // namespace foxwedge::run
