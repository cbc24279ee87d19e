// A run on a journal in memory, for tests of the engine with steps that add numbers.
#pragma once
#include <atomic>
#include <memory>
#include <string>

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

/// An activation that does what another one does: for those that differ in one thing.
class Forwarding : public journal::Activation {
public:
    explicit Forwarding(std::unique_ptr<journal::Activation> inner) : inner_(std::move(inner)) {}

    const journal::RunHead& run() const override { return inner_->run(); }
    std::span<const journal::Record> records() const override { return inner_->records(); }
    std::vector<journal::Gate> gates() const override { return inner_->gates(); }
    std::optional<journal::Gate> gate(std::string_view id) const override {
        return inner_->gate(id);
    }
    journal::Committed commit(journal::Batch batch) override {
        return inner_->commit(std::move(batch));
    }
    std::vector<journal::ChildEnd> inbox(std::uint64_t after) const override {
        return inner_->inbox(after);
    }
    std::optional<journal::ChildEnd> end_of(std::string_view child) const override {
        return inner_->end_of(child);
    }
    std::optional<journal::RunStatus> status_of(std::string_view child) const override {
        return inner_->status_of(child);
    }
    std::optional<std::string> signal(std::string_view key) const override {
        return inner_->signal(key);
    }
    void await_change(const std::vector<journal::Wait>& waits, std::stop_token stop) override {
        inner_->await_change(waits, std::move(stop));
    }
    Status park(const std::vector<journal::Wait>& waits) override { return inner_->park(waits); }
    Status finish(journal::RunStatus status, const journal::Outcome& outcome) override {
        return inner_->finish(status, outcome);
    }
    std::stop_token stopped() const override { return inner_->stopped(); }
    bool cancelled() const override { return inner_->cancelled(); }
    Time now() const override { return inner_->now(); }

private:
    std::unique_ptr<journal::Activation> inner_;
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
