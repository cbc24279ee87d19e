// Brief runs: which outcomes wait for the run's end, and which do not.
#include <boost/test/unit_test.hpp>

#include "bench.hpp"

namespace foxwedge::run {
namespace {

using Texts = std::vector<std::string>;

/// Tells what is written at once and what is held back, by the names of the steps.
class Telling final : public Forwarding {
public:
    using Forwarding::Forwarding;
    journal::Committed commit(journal::Batch batch) override {
        told.push_back("commit" + names(batch));
        return Forwarding::commit(std::move(batch));
    }
    journal::Committed hold(journal::Batch batch) override {
        told.push_back("hold" + names(batch));
        return Forwarding::hold(std::move(batch));
    }
    Texts told;

private:
    static std::string names(const journal::Batch& batch) {
        std::string out;
        for (const auto& i : batch.intents) out += " intent " + i.key.name;
        for (const auto& c : batch.completions) out += " " + c.key.name;
        return out;
    }
};

Result<StepValue> one(StepCall&) {
    return StepValue{"1"};
}

Texts told_of(const Workflow& workflow, bool brief) {
    Bench bench;
    Telling held(bench.open());
    ExecuteOptions options;
    options.brief = brief;
    BOOST_TEST((execute(held, workflow, options).how == Ended::succeeded));
    return held.told;
}

/// A step that may be repeated, one that puts something in the store, one that must not be
/// repeated.
Workflow steps_of(const std::string& kinds) {
    return [kinds](Run& run) -> Result<Json> {
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            StepOptions options;
            if (kinds[i] == 'd') options.kind = "discovery";
            if (kinds[i] == 'o') options.on_interrupted = OnInterrupted::ask;
            const auto name = std::string(1, kinds[i]) + std::to_string(i);
            FOXWEDGE_CHECK(run.step(name, options, [&](StepCall&) -> Result<StepValue> {
                StepValue made{"1"};
                if (kinds[i] == 'p') {
                    journal::Effect put;
                    put.collection = journal::collection_name("n", "project", "p");
                    put.key = "k";
                    put.value_json = "1";
                    made.effects.push_back(put);
                }
                return made;
            }));
        }
        return Json(1);
    };
}

} // namespace

BOOST_AUTO_TEST_SUITE(brief_runs)

BOOST_AUTO_TEST_CASE(outcomes_that_may_be_found_anew_wait_for_the_end) {
    BOOST_TEST(told_of(steps_of("ddr"), true) == (Texts{"hold d0", "hold d1", "hold r2"}),
               boost::test_tools::per_element());
    BOOST_TEST(told_of(steps_of("dr"), false) == (Texts{"commit d0", "commit r1"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(any_other_is_on_record_before_the_next_body) {
    BOOST_TEST(told_of(steps_of("rpd"), true) ==
                   (Texts{"hold r0", "commit", "hold p1", "commit", "hold d2"}),
               boost::test_tools::per_element());
    BOOST_TEST(told_of(steps_of("ro"), true) == (Texts{"hold r0", "commit intent o1", "hold o1"}),
               boost::test_tools::per_element());
    BOOST_TEST(told_of(steps_of("oo"), true) ==
                   (Texts{"commit intent o0", "hold o0", "commit intent o1", "hold o1"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_failure_and_what_stands_inside_of_a_step_are_recorded_at_once) {
    const Workflow fails = [](Run& run) -> Result<Json> {
        StepOptions options;
        options.container = true;
        (void)run.step("outer", options, [](StepCall& call) -> Result<StepValue> {
            FOXWEDGE_CHECK(call.lane().step("inner", {}, one));
            return permanent("no", "not today");
        });
        return Json(1);
    };
    BOOST_TEST(told_of(fails, true) == (Texts{"commit inner", "commit outer"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
} // namespace foxwedge::run
