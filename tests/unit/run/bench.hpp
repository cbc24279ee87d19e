// A run on a journal in memory, for tests of the engine with steps that add numbers.
#pragma once
#include <atomic>
#include <memory>
#include <string>

#include "../../support/forwarding.hpp"
#include "base/clock.hpp"
#include "journal/memory_engine.hpp"
#include "run/run.hpp"

namespace foxwedge::run {

/// A clock that moves when told to.
class ManualClock final : public Clock {
public:
    Time now() const override { return Time(Millis(millis_.load())); }
    std::chrono::steady_clock::time_point steady() const override {
        return std::chrono::steady_clock::time_point(Millis(millis_.load()));
    }
    void advance(Millis by) { millis_ += by.count(); }

private:
    std::atomic<Millis::rep> millis_{1'790'000'000'000};
};

/// One journal, one process after the other.
struct Bench {
    ManualClock clock;
    journal::MemoryJournal journal{clock};
    std::unique_ptr<journal::MemoryEngine> engine = journal.process();
    std::string run;

    explicit Bench(std::string input = "null") {
        journal::NewRun wanted;
        wanted.host = "test";
        wanted.workflow = "sum";
        wanted.input_json = std::move(input);
        run = engine->start(wanted)->run;
    }

    std::unique_ptr<journal::Activation> open(journal::OpenOptions how = {}) {
        auto held = engine->open(run, how);
        return held ? std::move(*held) : nullptr;
    }
    Finished execute(const Workflow& workflow, const ExecuteOptions& options = {},
                     journal::OpenOptions how = {}) {
        const auto held = open(how);
        if (!held) {
            Finished finished;
            finished.how = Ended::fault;
            return finished;
        }
        return run::execute(*held, workflow, options);
    }
    Finished replay(const Workflow& workflow, const ExecuteOptions& options = {}) {
        return run::replay(*engine->head(run), *engine->records(run), *engine->gates({.run = run}),
                           workflow, options);
    }
    std::vector<journal::Record> records() { return *engine->records(run); }
    /// kill -9 of the process; another one starts.
    void restart() {
        engine->kill();
        engine = journal.process();
    }
    /// Answers the open gate of `step` or the only one.
    Result<journal::Gate> answer(const std::string& word, const std::string& payload = {}) {
        const auto open = engine->gates({.run = run});
        if (!open || open->empty()) return permanent("not_found", "no gate is open");
        journal::Answer answer;
        answer.gate = open->front().id;
        answer.digest = open->front().digest;
        answer.answer = word;
        answer.payload_json = payload;
        answer.decided_by = "user:ann";
        return engine->answer(answer);
    }
};

/// A step whose body gives `value` and counts that it ran.
inline Result<std::int64_t> add_step(Run& run, std::string_view name, std::int64_t value,
                                     std::atomic<int>& ran) {
    auto done = run.step(name, {}, [&](StepCall&) -> Result<StepValue> {
        ++ran;
        return StepValue{std::to_string(value)};
    });
    if (!done) return std::move(done).error();
    return std::strtoll(done->value_json.c_str(), nullptr, 10);
}

inline Result<StepValue> number(std::int64_t value) {
    return StepValue{std::to_string(value)};
}

} // namespace foxwedge::run
