// Every point at which a host can die, on the engine in memory: after each durable operation, with
// its caller told or not. And every order in which outcomes of branches can become durable.
#define BOOST_TEST_MODULE crash_run_memory
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <numeric>
#include <set>

#include "journal/memory_engine.hpp"
#include "workload.hpp"

namespace foxwedge::run {
namespace {

class ManualClock final : public Clock {
public:
    Time now() const override { return Time(Millis(millis_.load())); }
    std::chrono::steady_clock::time_point steady() const override { return {}; }
    void advance(Millis by) { millis_ += by.count(); }

private:
    std::atomic<Millis::rep> millis_{1'790'000'000'000};
};

/// One run on one journal, driven through as many processes as it takes.
struct Life {
    ManualClock clock;
    journal::MemoryJournal journal{clock};
    std::unique_ptr<journal::MemoryEngine> engine = journal.process();
    Workload load;
    std::mutex mutex;
    std::map<std::string, int> bodies;
    bool repeated = false;
    std::string run;
    const char* once_answer = "use";
    int processes = 1;

    Life() {
        load.on_body = [this](const std::string& key) {
            const auto done = journal.order();
            const std::lock_guard lock(mutex);
            ++bodies[key];
            if (std::find(done.begin(), done.end(), key) != done.end()) repeated = true;
        };
    }

    void execute_one(const std::string& id, const Workflow& workflow) {
        auto held = engine->open(id);
        if (!held) return;
        ExecuteOptions options;
        options.patience = Millis(0);
        (void)run::execute(**held, workflow, options);
    }

    /// Until the run has ended, or it plainly never will.
    void live() {
        for (int turn = 0; turn < 60; ++turn) {
            if (engine->dead()) {
                engine = journal.process();
                ++processes;
            }
            if (run.empty()) {
                journal::NewRun wanted;
                wanted.host = "test";
                wanted.workflow = "parent";
                wanted.key = "the one";
                wanted.input_json = "{}";
                if (auto started = engine->start(wanted)) run = started->run;
                continue;
            }
            const auto head = engine->head(run);
            if (!head) continue;
            if (journal::is_final(head->status)) return;
            execute_one(run, load.parent());
            if (engine->dead()) continue;
            const auto children = engine->runs({.parent = run});
            for (const auto& child : *children)
                if (!journal::is_final(child.status)) execute_one(child.id, load.child());
            const auto gates = engine->gates({.run = run});
            if (gates) {
                for (const auto& gate : *gates) {
                    journal::Answer answer;
                    answer.gate = gate.id;
                    answer.digest = gate.digest;
                    answer.answer = gate.kind == "unknown" ? once_answer : "approve";
                    if (answer.answer == "use") answer.payload_json = Workload::once_value();
                    answer.decided_by = "user:ann";
                    (void)engine->answer(answer);
                }
            }
            clock.advance(Millis(10'000));
        }
    }

    void check(const std::string& where) {
        BOOST_TEST_CONTEXT(where) {
            const auto head = *engine->head(run);
            BOOST_TEST((head.status == journal::RunStatus::succeeded));
            BOOST_REQUIRE(head.result.has_value());
            BOOST_TEST(head.result->value_json == Workload::final_value());
            BOOST_TEST(!repeated);
            auto order = journal.order();
            const auto all = order.size();
            std::sort(order.begin(), order.end());
            order.erase(std::unique(order.begin(), order.end()), order.end());
            BOOST_TEST(order.size() == all); // no outcome twice
            const auto counter = *engine->get(Workload::collection(), "adds");
            BOOST_REQUIRE(counter.has_value());
            BOOST_TEST(counter->value_json == std::to_string(Workload::adds()));
            BOOST_TEST(bodies[run + "/once"] <= (std::string(once_answer) == "again" ? 2 : 1));
            const auto replayed = run::replay(head, *engine->records(run), {}, load.parent(), {});
            BOOST_TEST((replayed.how == Ended::succeeded));
            BOOST_TEST(replayed.outcome.value_json == Workload::final_value());
        }
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_run_that_nobody_kills_ends_with_its_value) {
    Life life;
    life.live();
    life.check("unharmed");
    BOOST_TEST(life.processes == 1);
}

BOOST_AUTO_TEST_CASE(a_run_killed_after_any_operation_ends_with_the_same_value) {
    Life unharmed;
    unharmed.live();
    const auto operations = unharmed.journal.operations();
    BOOST_TEST(operations > 30u);
    for (const char* answer : {"use", "again"}) {
        for (const bool answered : {true, false}) {
            for (std::uint64_t at = 1; at <= operations; ++at) {
                Life life;
                life.once_answer = answer;
                life.journal.cut(journal::Cut{at, answered});
                life.live();
                BOOST_TEST(life.processes == 2);
                life.check("operation " + std::to_string(at) + (answered ? "" : ", not told"));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_run_killed_twice_at_any_two_points_ends_with_the_same_value) {
    Life unharmed;
    unharmed.live();
    const auto operations = unharmed.journal.operations();
    for (std::uint64_t first = 1; first <= operations; ++first) {
        for (std::uint64_t second = first + 1; second <= operations + 4; second += 2) {
            Life life;
            life.once_answer = "again";
            life.journal.cut(journal::Cut{first, first % 4 == 1});
            // The second cut is set once the first has struck.
            std::atomic<bool> set{false};
            const auto on_body = life.load.on_body;
            life.load.on_body = [&](const std::string& key) {
                on_body(key);
                if (life.processes == 2 && !set.exchange(true))
                    life.journal.cut(journal::Cut{second, second % 2 == 0});
            };
            life.live();
            const auto head = *life.engine->head(life.run);
            BOOST_TEST_CONTEXT("operations " << first << " and " << second) {
                BOOST_TEST((head.status == journal::RunStatus::succeeded));
                BOOST_TEST(!life.repeated);
                BOOST_TEST((head.result && head.result->value_json == Workload::final_value()));
                BOOST_TEST((*life.engine->get(Workload::collection(), "adds"))->value_json ==
                           std::to_string(Workload::adds()));
            }
        }
    }
}

namespace {
/// All interleavings of `lanes` sequences of two.
void interleavings(int lanes, std::vector<int>& taken, std::vector<std::string>& so_far,
                   const std::function<void(const std::vector<std::string>&)>& each) {
    if (so_far.size() == static_cast<std::size_t>(2 * lanes)) return each(so_far);
    for (int lane = 0; lane < lanes; ++lane) {
        if (taken[lane] == 2) continue;
        so_far.push_back("s" + std::to_string(lane) + "-" + std::to_string(taken[lane]++));
        interleavings(lanes, taken, so_far, each);
        --taken[lane];
        so_far.pop_back();
    }
}
} // namespace

BOOST_AUTO_TEST_CASE(in_whatever_order_branches_finish_and_wherever_the_host_dies_the_value_holds) {
    constexpr int lanes = 3;
    const Workflow workflow = [](Run& run) -> Result<Json> {
        FanOut fan;
        for (int lane = 0; lane < lanes; ++lane)
            fan.branches.push_back(
                {{}, [lane](Run& branch, const std::string&) -> Result<Json> {
                     std::string text;
                     for (int i = 0; i < 2; ++i) {
                         const auto name = "s" + std::to_string(lane) + "-" + std::to_string(i);
                         auto done = branch.step(name, {}, [&](StepCall&) {
                             return Result<StepValue>(StepValue{"\"" + name + "\""});
                         });
                         if (!done) return done.error();
                         text += done->value_json;
                     }
                     return Json(text);
                 }});
        JsonArray all;
        for (auto& result : run.fan_out(std::move(fan))) {
            if (!result) return result.error();
            all.push_back(*result);
        }
        return Json(all);
    };
    std::set<std::string> values;
    int orders = 0;
    std::vector<int> taken(lanes, 0);
    std::vector<std::string> so_far;
    interleavings(lanes, taken, so_far, [&](const std::vector<std::string>& names) {
        ++orders;
        journal::MemoryJournal journal;
        auto engine = journal.process();
        journal::NewRun wanted;
        wanted.host = "test";
        wanted.workflow = "order";
        wanted.input_json = "{}";
        const auto run = engine->start(wanted)->run;
        std::vector<std::string> order;
        for (const auto& name : names) order.push_back(run + "/" + name);
        journal.enforce(order);
        // After start and open, die at one of the six outcomes.
        journal.cut(journal::Cut{journal.operations() + 2 + orders % 6, orders % 2 == 0});
        for (int process = 0; process < 3; ++process) {
            {
                auto held = engine->open(run);
                if (held) (void)execute(**held, workflow, {});
            }
            if (!engine->dead()) break;
            engine = journal.process();
        }
        BOOST_TEST(journal.order() == order, boost::test_tools::per_element());
        const auto head = *engine->head(run);
        BOOST_REQUIRE(head.result.has_value());
        values.insert(head.result->value_json);
        BOOST_TEST(
            (run::replay(head, *engine->records(run), {}, workflow, {}).how == Ended::succeeded));
    });
    BOOST_TEST(orders == 90);
    BOOST_TEST(values.size() == 1u);
}

} // namespace foxwedge::run
