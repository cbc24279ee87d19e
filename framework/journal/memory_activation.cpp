#include <algorithm>

#include "base/id.hpp"
#include "journal/memory_process.hpp"
#include "journal/rules.hpp"

namespace foxwedge::journal {

Error MemoryProcess::fault() const {
    return unknown_outcome("journal_fault", "this process is dead");
}

void MemoryProcess::die() {
    dead = true;
    state->live.erase(owner);
    state->serving.erase(owner);
    for (auto& [run, stop] : held) state->to_stop.push_back(stop);
    state->changed.notify_all();
}

Status MemoryProcess::operated() {
    ++state->operations;
    state->changed.notify_all();
    if (!state->cut || state->operations < state->cut->after) return {};
    const bool answered = state->operations == state->cut->after && state->cut->answered;
    if (state->operations == state->cut->after) die();
    if (answered) return {};
    return dead ? Status(fault()) : Status();
}

std::vector<Record> in_place_order(std::vector<Record> records) {
    std::stable_sort(records.begin(), records.end(), [](const Record& a, const Record& b) {
        if (a.key.lane != b.key.lane) return a.key.lane < b.key.lane;
        if (a.key.index != b.key.index) return a.key.index < b.key.index;
        return a.generation < b.generation;
    });
    return records;
}

namespace {

class MemoryActivation final : public Activation {
public:
    MemoryActivation(std::shared_ptr<MemoryProcess> process, MemoryRun& run)
        : process_(std::move(process)), state_(*process_->state), head_(run.head),
          records_(in_place_order(run.records)), stop_(process_->held[head_.id]) {}

    ~MemoryActivation() override {
        const MemoryLock lock(state_);
        if (MemoryRun* const run = mine()) {
            release(*run, RunStatus::ready);
            (void)process_->operated();
        } else if (!done_) {
            forget();
        }
    }

    const RunHead& run() const override { return head_; }
    std::span<const Record> records() const override { return records_; }

    std::vector<Gate> gates() const override {
        const MemoryLock lock(state_);
        state_.settle();
        std::vector<Gate> found;
        for (const auto& [id, g] : state_.gates)
            if (g.gate.run == head_.id) found.push_back(g.gate);
        return found;
    }
    std::optional<Gate> gate(std::string_view id) const override {
        const MemoryLock lock(state_);
        state_.settle();
        const auto at = state_.gates.find(id);
        if (at == state_.gates.end()) return std::nullopt;
        return at->second.gate;
    }

    Committed commit(Batch batch) override;
    /// Every write is an operation of its own here, which a test can cut off.
    Committed hold(Batch batch) override { return commit(std::move(batch)); }

    std::vector<ChildEnd> inbox(std::uint64_t after) const override {
        const MemoryLock lock(state_);
        const auto& all = state_.find(head_.id)->inbox;
        const auto from = std::find_if(all.begin(), all.end(),
                                       [&](const ChildEnd& end) { return end.sequence > after; });
        return {from, all.end()};
    }
    std::optional<ChildEnd> end_of(std::string_view child) const override {
        const MemoryLock lock(state_);
        const auto& all = state_.find(head_.id)->inbox;
        const auto at = std::find_if(all.begin(), all.end(),
                                     [&](const ChildEnd& end) { return end.child == child; });
        return at == all.end() ? std::nullopt : std::optional(*at);
    }
    std::optional<RunStatus> status_of(std::string_view child) const override {
        const MemoryLock lock(state_);
        state_.settle();
        const auto* const run = state_.find(child);
        return run ? std::optional(run->head.status) : std::nullopt;
    }
    std::optional<std::string> signal(std::string_view key) const override {
        const MemoryLock lock(state_);
        const auto& signals = state_.find(head_.id)->signals;
        const auto at = signals.find(key);
        if (at == signals.end()) return std::nullopt;
        return at->second;
    }

    void await_change(const std::vector<Wait>& waits, std::stop_token stop) override {
        const std::stop_callback wake_up(stop, [this] { state_.changed.notify_all(); });
        MemoryLock guard(state_);
        const bool for_child = std::any_of(waits.begin(), waits.end(),
                                           [](const Wait& w) { return w.on == Wait::On::child; });
        const auto then = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
        while (!stop.stop_requested() && mine() && !cancelled_now()) {
            state_.settle();
            const MemoryRun& run = *state_.find(head_.id);
            if (std::any_of(waits.begin(), waits.end(),
                            [&](const Wait& w) { return state_.fired(run, w); }))
                return;
            if (for_child &&
                (std::exchange(parked_children_, run.parked_children) != run.parked_children ||
                 std::chrono::steady_clock::now() >= then))
                return;
            // The clock may be a test's, which tells nobody that it moved.
            state_.changed.wait_for(guard.lock, std::chrono::milliseconds(2));
        }
    }

    Status park(const std::vector<Wait>& waits) override {
        const MemoryLock lock(state_);
        FOXWEDGE_CHECK(still_mine());
        MemoryRun& run = *mine();
        state_.settle();
        const bool at_once =
            run.cancel_asked || std::any_of(waits.begin(), waits.end(),
                                            [&](const Wait& w) { return state_.fired(run, w); });
        run.waits = waits;
        release(run, at_once ? RunStatus::ready : RunStatus::waiting);
        return process_->operated();
    }

    Status finish(RunStatus status, const Outcome& outcome) override {
        const MemoryLock lock(state_);
        FOXWEDGE_CHECK(still_mine());
        MemoryRun& run = *mine();
        done_ = true;
        forget();
        const bool asked = status == RunStatus::cancelled && run.cancel_asked;
        state_.finish(run, status,
                      asked ? Outcome{cancelled_by(run.cancelled_by), {}, false} : outcome);
        return process_->operated();
    }

    std::stop_token stopped() const override { return stop_.get_token(); }
    bool cancelled() const override {
        const MemoryLock lock(state_);
        return cancelled_now();
    }
    Time now() const override {
        const MemoryLock lock(state_);
        return state_.time_of(*state_.find(head_.id));
    }

private:
    /// The run, if this process lives and still holds it.
    MemoryRun* mine() const {
        MemoryRun* const run = state_.find(head_.id);
        return !done_ && !process_->dead && run->head.epoch == head_.epoch &&
                       run->owner == process_->owner
                   ? run
                   : nullptr;
    }
    bool cancelled_now() const { return state_.find(head_.id)->cancel_asked; }
    Status still_mine() const {
        if (process_->dead) return process_->fault();
        if (!mine()) return permanent("lease_lost", "another owner holds run " + head_.id + " now");
        return {};
    }
    void forget() {
        if (const auto at = process_->held.find(head_.id);
            at != process_->held.end() && at->second == stop_)
            process_->held.erase(at);
        if (const auto at = state_.holders.find(head_.id);
            at != state_.holders.end() && at->second == stop_)
            state_.holders.erase(at);
    }
    void release(MemoryRun& run, RunStatus status) {
        done_ = true;
        forget();
        state_.touch(run);
        run.owner.clear();
        run.head.status = status;
        run.unclean = run.head.deaths = 0;
        if (auto* const parent = run.head.parent.empty() ? nullptr : state_.find(run.head.parent))
            ++parent->parked_children;
        // Nobody holds it any more, so nobody else would end it.
        if (run.cancel_asked) state_.cancel_tree(run, run.cancelled_by);
        state_.changed.notify_all();
    }
    void await_turn(std::unique_lock<std::mutex>&, const Batch&);

    Verdict record(MemoryRun&, const Intent&, std::string& why);
    Verdict record(MemoryRun&, Completion&, std::string& why);
    Verdict record(MemoryRun&, GateOpening&, std::string& why, std::string& id);
    Verdict record(MemoryRun&, Checkpoint&, std::string& why);
    Verdict record(MemoryRun&, ChildStart&, std::string& why);

    std::shared_ptr<MemoryProcess> process_;
    MemoryState& state_;
    RunHead head_;
    std::vector<Record> records_;
    std::stop_source stop_;
    std::uint64_t parked_children_ = 0; ///< of which await_change has told
    bool done_ = false;
};

std::string order_name(const std::string& run, const Completion& c) {
    std::string name = run + "/" + c.key.name;
    if (c.generation > 0) name += "#" + std::to_string(c.generation);
    return name;
}

void MemoryActivation::await_turn(std::unique_lock<std::mutex>& lock, const Batch& batch) {
    const auto my_turn = [&] {
        if (state_.enforced.empty() || process_->dead) return true;
        for (const auto& c : batch.completions) {
            const auto me =
                std::find(state_.enforced.begin(), state_.enforced.end(), order_name(head_.id, c));
            const bool early = std::any_of(state_.enforced.begin(), me, [&](const auto& before) {
                return std::find(state_.order.begin(), state_.order.end(), before) ==
                           state_.order.end() &&
                       std::none_of(
                           batch.completions.begin(), batch.completions.end(),
                           [&](const auto& own) { return order_name(head_.id, own) == before; });
            });
            if (me != state_.enforced.end() && early) return false;
        }
        return true;
    };
    state_.changed.wait(lock, my_turn);
}

Committed MemoryActivation::commit(Batch batch) {
    MemoryLock guard(state_);
    await_turn(guard.lock, batch);
    Committed done;
    const auto count = batch.intents.size() + batch.completions.size() + batch.gates.size() +
                       batch.checkpoints.size() + batch.children.size();
    done.gate_ids.resize(batch.gates.size());
    if (const auto status = still_mine(); !status) {
        done.verdicts.assign(count, process_->dead ? Verdict::io_error : Verdict::lost);
        done.explanation = status.error().message;
        return done;
    }
    MemoryRun& run = *mine();
    std::string why;
    const auto note = [&](Verdict v) {
        done.verdicts.push_back(v);
        if (done.explanation.empty()) done.explanation = why;
        why.clear();
    };
    for (const auto& item : batch.intents) note(record(run, item, why));
    for (auto& item : batch.completions) note(record(run, item, why));
    for (std::size_t i = 0; i < batch.gates.size(); ++i)
        note(record(run, batch.gates[i], why, done.gate_ids[i]));
    for (auto& item : batch.checkpoints) note(record(run, item, why));
    for (auto& item : batch.children) note(record(run, item, why));
    state_.touch(run);
    if (const auto status = process_->operated(); !status) {
        done.verdicts.assign(count, Verdict::io_error);
        done.explanation = status.error().message;
    }
    return done;
}

Verdict MemoryActivation::record(MemoryRun& run, const Intent& item, std::string& why) {
    if (auto bad = unfit(item.key)) return why = *bad, Verdict::full;
    Record* const r = state_.begin(run, item.key, item.generation, why);
    if (!r) return Verdict::conflict;
    r->intent = true;
    return Verdict::recorded;
}

Verdict MemoryActivation::record(MemoryRun& run, Completion& item, std::string& why) {
    if (auto bad = unfit(item, Limits())) return why = *bad, Verdict::full;
    const Record* const had = state_.newest(run, item.key);
    if (!generation_holds(had, item.generation) || (had && had->key.name != item.key.name))
        return why = conflict_of(item.key, had), Verdict::conflict;
    if (item.outcome && !item.outcome->error) {
        if (auto refused = state_.apply(item.effects)) return why = *refused, Verdict::conflict;
    }
    Record* const r = state_.begin(run, item.key, item.generation, why);
    r->key.inputs = item.key.inputs;
    r->attempts.push_back(std::move(item.attempt));
    if (!item.usage_json.empty()) r->usage_json = std::move(item.usage_json);
    if (!item.trace_id.empty()) r->trace_id = std::move(item.trace_id);
    r->sequence = ++state_.sequence;
    if (!item.outcome) {
        r->intent = false; // that attempt's end is known
        return Verdict::recorded;
    }
    r->outcome = std::move(item.outcome);
    r->checkpoint.clear();
    for (auto& [id, g] : state_.gates)
        if (g.gate.run == head_.id && g.gate.step == item.key.name &&
            g.generation == item.generation && g.gate.status == Gate::Status::pending)
            state_.close(g, Gate::Status::cancelled, cancel_decision(state_.time_of(run)));
    state_.order.push_back(order_name(head_.id, item));
    return Verdict::recorded;
}

Verdict MemoryActivation::record(MemoryRun& run, GateOpening& item, std::string& why,
                                 std::string& id) {
    if (auto bad = unfit(item.key)) return why = *bad, Verdict::full;
    for (const auto& [known, g] : state_.gates)
        if (g.gate.run == head_.id && g.gate.step == item.key.name &&
            g.generation == item.generation)
            return id = known, Verdict::recorded;
    const Record* const had = state_.newest(run, item.key);
    if (!generation_holds(had, item.generation) || (had && had->key.name != item.key.name))
        return why = conflict_of(item.key, had), Verdict::conflict;
    if (auto refused = state_.apply(item.effects)) return why = *refused, Verdict::conflict;
    (void)state_.begin(run, item.key, item.generation, why);
    MemoryGate row{std::move(item.gate), item.generation, std::move(item.on_close)};
    row.gate.run = head_.id;
    row.gate.root = head_.root;
    row.gate.step = item.key.name;
    if (row.gate.id.empty()) row.gate.id = new_id(state_.time_of(run));
    if (row.gate.asked == Time{}) row.gate.asked = state_.time_of(run);
    id = row.gate.id;
    state_.gates.emplace(id, std::move(row));
    return Verdict::recorded;
}

Verdict MemoryActivation::record(MemoryRun& run, Checkpoint& item, std::string& why) {
    if (auto bad = unfit(item, Limits())) return why = *bad, Verdict::full;
    const Record* const had = state_.newest(run, item.key);
    if (!generation_holds(had, item.generation) || (had && had->key.name != item.key.name))
        return why = conflict_of(item.key, had), Verdict::conflict;
    if (auto refused = state_.apply(item.effects)) return why = *refused, Verdict::conflict;
    Record* const r = state_.begin(run, item.key, item.generation, why);
    r->checkpoint = std::move(item.bytes);
    return Verdict::recorded;
}

Verdict MemoryActivation::record(MemoryRun& run, ChildStart& item, std::string& why) {
    if (auto bad = unfit(item.key)) return why = *bad, Verdict::full;
    if (auto ok = check_new_run(item.run, Limits()); !ok)
        return why = ok.error().message, Verdict::full;
    const MemoryRun* const there = state_.find(item.run.id);
    if (there && there->head.parent != head_.id)
        return why = "run " + item.run.id + " is no child of this run", Verdict::conflict;
    if (!state_.begin(run, item.key, item.generation, why)) return Verdict::conflict;
    item.run.parent = head_.id;
    const auto started = state_.start(item.run);
    if (!started) return why = started.error().message, Verdict::conflict;
    return Verdict::recorded;
}

} // namespace

std::unique_ptr<Activation> make_memory_activation(std::shared_ptr<MemoryProcess> process,
                                                   MemoryRun& run) {
    return std::make_unique<MemoryActivation>(std::move(process), run);
}

} // namespace foxwedge::journal
