// One lane of an executing run: the Run that workflows, branches and containers get.
#pragma once
#include <chrono>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>

#include "run/execution.hpp"

namespace foxwedge::run {

class Fan;
struct FanSlot;

/// A branch's gate that its fan-out has put on record already.
struct OpenedGate {
    std::string id;
    bool decided = false; ///< together with its answer
};

class Lane final : public Run {
public:
    /// Belongs to the calling thread from here on. `fan`, `slot`: of the branch that it is or is
    /// in. `closed`: nothing new may start in it.
    Lane(Execution& run, std::string path, Fan* fan = nullptr, FanSlot* slot = nullptr,
         bool closed = false);

    const journal::RunHead& head() const override { return run_.head(); }
    const std::string& id() const override { return run_.head().id; }
    Result<StepValue> step(std::string_view, const StepOptions&, const Body&) override;
    Result<StepValue> try_step(std::string_view, const StepOptions&, const Body&) override;
    std::stop_token stopped() const override { return run_.stop(); }
    bool replaying() const override { return cursor_.outcome_at(index_); }
    std::string_view next_step() const override { return cursor_.name_at(index_); }
    std::string_view next_value() const override { return cursor_.value_at(index_); }
    std::uint32_t configuration() const override { return cursor_.configuration_at(index_); }
    std::vector<std::string_view> configurations() const override {
        return run_.history().configurations();
    }
    std::vector<Result<Json>> fan_out(FanOut) override;
    Result<Json> ask(const GateSpec&) override;
    Status withdraw(const GateSpec&) override;
    Status sleep(std::string_view name, Millis) override;
    Result<Time> now(std::string_view name) override;
    Result<double> random(std::string_view name) override;
    Result<ChildResult> child(const ChildSpec&) override;
    Result<std::string> start_child(const ChildSpec&) override;
    Result<ChildResult> next_child(
        std::string_view name,
        const std::function<std::vector<journal::Effect>(const ChildResult&)>& effects) override;
    Status create_children() override;
    Status pass_child_end(std::string_view name, std::string_view child);
    Result<Json> signal(std::string_view name, std::string_view key) override;
    void unwinds(bool) override;
    void moves_here() override;
    bool wait_for(const journal::Wait&) override;

    /// True once this lane gave or threw `parked`: whatever its code returns is dropped.
    bool unwound() const { return unwound_; }
    /// True once it has gone past what was on record when the execution began.
    bool went_on() const { return index_ > 0 && !cursor_.outcome_at(index_ - 1); }
    const std::string& path() const { return path_; }
    Execution& run() { return run_; }

private:
    friend class Attempts;
    friend class Fan;
    friend class Call;
    enum class Busy : std::uint8_t { no, body, branches };
    struct Pending;

    std::optional<Error> misuse(std::string_view name) const;
    /// After misuse, ending and unwinding are ruled out, calls `work` with Parking as this lane
    /// wants it.
    template <class T, class Work>
    Result<T> guarded(std::string_view name, Work&& work);
    [[noreturn]] void unwind(std::string_view name);

    /// What stands at the next position, which is taken unless the answer is an error: a mismatch
    /// or a name that is used already. Where nothing new may start what is not recorded unwinds.
    Result<Decision> take(const journal::StepKey&, bool may_have_lanes);
    journal::StepKey key_of(std::string_view name, std::string_view kind, const Digest& inputs);

    Result<StepValue> new_step(std::string_view name, const StepOptions&, const Body&,
                               const Digest& inputs);
    /// Records the outcome of a step that needed no body.
    Status settle(const journal::StepKey&, std::uint32_t generation, Time started, journal::Outcome,
                  std::vector<journal::Effect> = {});
    /// Unwinds unless every item of the commit is on record.
    void require(const journal::Committed&, std::string_view name);
    /// Waits in place; unwinds when the run parks meanwhile.
    void wait(std::string_view name, std::vector<journal::Wait>, const std::function<bool()>& fired,
              const std::stop_token& look = {});

    journal::NewRun new_run(const ChildSpec&, const std::string& id) const;
    /// Creates the child of a step, which is begun by it. The same id joins one that exists.
    Status create_child(const journal::StepKey&, std::uint32_t generation, const ChildSpec&,
                        const std::string& id);

    /// Writes what is pending; unwinds as `require` does.
    void flush();
    void write_pending(std::span<Pending>);
    /// Where the last of it was written a moment ago: lets more of it come together, true.
    bool gather();
    void settle_later(std::optional<journal::ChildStart>, const journal::StepKey&,
                      std::uint32_t generation, Time started, std::string value_json,
                      std::vector<journal::Effect>);
    /// The next end of a child of this lane that the inbox has.
    std::optional<journal::ChildEnd> take_end();

    /// The decision's text.
    Result<std::string> decide(const GateSpec&, const OpenedGate&);
    std::string await_gate(const journal::StepKey&, const Decision&, const GateSpec&,
                           std::string id);
    Result<std::vector<OpenedGate>> open_gates(const FanOut&, std::uint32_t index);
    static journal::StepKey gate_key(const GateSpec&, std::string lane, std::uint32_t index);
    journal::GateOpening opening(const journal::StepKey&, std::uint32_t generation,
                                 const GateSpec&) const;

    Execution& run_;
    std::string path_;
    Fan* fan_;
    FanSlot* slot_;
    bool closed_;
    History::Cursor cursor_;
    std::thread::id owner_ = std::this_thread::get_id();
    int exceptions_;
    std::uint32_t index_ = 0;
    Busy busy_ = Busy::no;
    bool quiet_ = false;
    bool unwound_ = false;
    std::string refused_; ///< why this lane takes no steps at all
    std::vector<journal::Wait> registered_;
    std::set<std::string, std::less<>> children_; ///< started and not given yet, by id
    std::deque<journal::ChildEnd> ends_;          ///< of the inbox, as far as it was read
    std::uint64_t ends_read_ = 0;                 ///< sequence of the last of them
    /// Starts and ends of children that follow from what is on record: written together, before
    /// this lane waits or does anything else.
    struct Pending {
        std::optional<journal::ChildStart> start;
        journal::Completion end;
    };
    std::vector<Pending> pending_;
    std::chrono::steady_clock::time_point flushed_{};
};

template <class T, class Work>
Result<T> Lane::guarded(std::string_view name, Work&& work) {
    if (auto wrong = misuse(name)) return std::move(*wrong);
    if (!quiet_) {
        if (unwound_ || run_.ending()) unwind(name);
        return work();
    }
    if (unwound_ || run_.ending()) {
        unwound_ = true;
        return parked();
    }
    try {
        return work();
    } catch (const Parking&) {
        return parked();
    }
}

} // namespace foxwedge::run
