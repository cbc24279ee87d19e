#include "journal/memory_engine.hpp"

#include <algorithm>
#include <thread>

#include "base/id.hpp"
#include "journal/memory_process.hpp"
#include "journal/rules.hpp"

namespace foxwedge::journal {
namespace {

class Process final : public MemoryEngine {
public:
    explicit Process(std::shared_ptr<MemoryProcess> process)
        : process_(std::move(process)), state_(*process_->state) {}
    ~Process() override {
        const MemoryLock lock(state_);
        if (!process_->dead) process_->die();
    }

    void kill() override {
        const MemoryLock lock(state_);
        if (!process_->dead) process_->die();
    }
    bool dead() const override {
        const MemoryLock lock(state_);
        return process_->dead;
    }
    const std::string& owner() const override { return process_->owner; }

    Result<Started> start(const NewRun& run) override {
        FOXWEDGE_CHECK(check_new_run(run, limits()));
        return changed<Started>([&] { return state_.start(run); });
    }

    Result<Begun> begin(const NewRun& run, bool) override {
        FOXWEDGE_CHECK(check_begun(run));
        FOXWEDGE_TRY(started, start(run));
        if (started.existed) return Begun{std::move(started.run), nullptr};
        FOXWEDGE_TRY(held, open(started.run, {}));
        return Begun{std::move(started.run), std::move(held)};
    }

    Result<std::unique_ptr<Activation>> open(std::string_view id,
                                             const OpenOptions& options) override {
        return changed<std::unique_ptr<Activation>>([&] { return claim(id, options); });
    }

    void serve(const ServeOptions&, std::function<void(std::unique_ptr<Activation>)>,
               std::stop_token) override;

    Result<Gate> answer(const Answer& answer) override {
        return changed<Gate>([&]() -> Result<Gate> {
            const auto at = state_.gates.find(answer.gate);
            if (at == state_.gates.end())
                return permanent("not_found", "there is no gate " + answer.gate);
            auto& row = at->second;
            const Time now = std::max(state_.clock.now(), row.gate.asked);
            FOXWEDGE_CHECK(judge(row.gate, answer, now));
            state_.close(row, Gate::Status::decided, decision_of(answer, now));
            return row.gate;
        });
    }

    Status cancel(std::string_view id, std::string_view who) override {
        return changed<void>([&]() -> Status {
            FOXWEDGE_TRY(run, existing(id));
            if (run->head.status == RunStatus::cancelled) return {};
            if (is_final(run->head.status)) return finished(*run);
            state_.cancel_tree(*run, std::string(who));
            return {};
        });
    }
    Status retry(std::string_view id) override {
        return changed<void>([&]() -> Status {
            FOXWEDGE_TRY(run, existing(id));
            if (!can_be_retried(run->head.status))
                return permanent("not_failed", "run " + run->head.id + " is " +
                                                   to_string(run->head.status) +
                                                   "; only a failed or stuck run can be retried");
            revive(*run);
            return {};
        });
    }
    Status signal(std::string_view id, std::string_view key, std::string_view value) override {
        return changed<void>([&]() -> Status {
            FOXWEDGE_TRY(run, existing(id));
            if (is_final(run->head.status)) return finished(*run);
            run->signals.emplace(key, value); // the first one counts
            state_.wake(run->head.id, Wait::On::signal, std::string(key));
            return {};
        });
    }

    Result<RunHead> head(std::string_view id) override {
        return looked<RunHead>([&]() -> Result<RunHead> {
            FOXWEDGE_TRY(run, existing(id));
            return run->head;
        });
    }
    Result<std::vector<RunHead>> runs(const RunQuery&) override;
    Result<std::vector<Gate>> gates(const GateQuery&) override;
    Result<std::vector<Record>> records(std::string_view id) override {
        return looked<std::vector<Record>>([&]() -> Result<std::vector<Record>> {
            FOXWEDGE_TRY(run, existing(id));
            return in_place_order(run->records);
        });
    }

    Result<std::optional<StoreItem>> get(std::string_view collection,
                                         std::string_view key) override {
        return looked<std::optional<StoreItem>>([&]() -> Result<std::optional<StoreItem>> {
            const auto& items = state_.store[std::string(collection)].items;
            const auto at = items.find(key);
            if (at == items.end() || at->second.removed) return std::optional<StoreItem>();
            return std::optional(at->second);
        });
    }
    Result<std::vector<StoreItem>> scan(std::string_view, std::string_view, std::string_view,
                                        int) override;
    Result<std::vector<StoreItem>> changes(std::string_view, std::uint64_t, int) override;
    Result<Verdict> apply(std::span<const Effect> effects) override {
        return changed<Verdict>([&]() -> Result<Verdict> {
            if (unfit(effects, limits())) return Verdict::full;
            return state_.apply(effects) ? Verdict::conflict : Verdict::recorded;
        });
    }

    Limits limits() const override { return {}; }
    bool served(std::string_view host, std::string_view workflow) override {
        const MemoryLock lock(state_);
        return std::any_of(state_.serving.begin(), state_.serving.end(),
                           [&](const auto& entry) { return serves(entry.second, host, workflow); });
    }

private:
    static bool serves(const ServeOptions& o, std::string_view host, std::string_view workflow) {
        return o.host == host &&
               (o.workflows.empty() || workflow.empty() ||
                std::find(o.workflows.begin(), o.workflows.end(), workflow) != o.workflows.end());
    }

    Result<MemoryRun*> existing(std::string_view id) {
        MemoryRun* const run = state_.find(id);
        if (!run) return permanent("not_found", "there is no run " + std::string(id));
        return run;
    }
    static Error finished(const MemoryRun& run) {
        return permanent("run_finished",
                         "run " + run.head.id + " has ended: " + to_string(run.head.status));
    }
    static bool can_be_retried(RunStatus status) {
        return status == RunStatus::failed || status == RunStatus::stuck;
    }
    void revive(MemoryRun& run) {
        run.head.status = RunStatus::ready;
        run.head.result.reset();
        run.head.reason.clear();
        run.head.deaths = run.unclean = 0;
        run.head.retried_at = state_.sequence;
        state_.touch(run);
    }

    Result<std::unique_ptr<Activation>> claim(std::string_view id, const OpenOptions& options) {
        FOXWEDGE_TRY(run, existing(id));
        const auto status = run->head.status;
        if (options.retry && (can_be_retried(status) || status == RunStatus::succeeded))
            revive(*run);
        if (is_final(run->head.status)) return finished(*run);
        if (run->head.status == RunStatus::stuck)
            return permanent("run_stuck", "run " + run->head.id + " is stuck: " + run->head.reason);
        if (state_.held(*run)) {
            if (!options.take_over)
                return permanent("run_held", "run " + run->head.id + " is held by " + run->owner,
                                 "{\"owner\":\"" + run->owner + "\",\"pid\":0}");
            if (const auto at = state_.holders.find(run->head.id); at != state_.holders.end())
                state_.to_stop.push_back(at->second);
        }
        return take(*run);
    }
    std::unique_ptr<Activation> take(MemoryRun& run) {
        state_.touch(run);
        run.owner = process_->owner;
        run.head.status = RunStatus::running;
        ++run.head.epoch;
        run.waits.clear();
        run.claimed_at = state_.sequence;
        const std::stop_source stop;
        process_->held[run.head.id] = stop;
        state_.holders[run.head.id] = stop;
        return make_memory_activation(process_, run);
    }
    std::vector<std::unique_ptr<Activation>> claim_ready(const ServeOptions&);

    /// One durable operation: `work` under the lock; counted if it succeeded.
    template <class T, class Work>
    Result<T> changed(Work&& work) {
        // Outlives the lock: what goes wrong after the claim is given up without it.
        std::optional<Result<T>> result;
        const MemoryLock lock(state_);
        if (process_->dead) return process_->fault();
        state_.settle();
        result.emplace(work());
        if (!*result) return *std::move(result);
        if (auto status = process_->operated(); !status) return status.error();
        return *std::move(result);
    }
    template <class T, class Work>
    Result<T> looked(Work&& work) {
        const MemoryLock lock(state_);
        if (process_->dead) return process_->fault();
        state_.settle();
        return work();
    }

    std::shared_ptr<MemoryProcess> process_;
    MemoryState& state_;
};

std::vector<std::unique_ptr<Activation>> Process::claim_ready(const ServeOptions& options) {
    std::vector<std::unique_ptr<Activation>> claimed;
    for (auto& [id, run] : state_.runs) {
        if (run.head.status != RunStatus::ready || state_.held(run)) continue;
        if (!serves(options, run.head.host, run.head.workflow)) continue;
        if (!options.only_root.empty() && run.head.root != options.only_root) continue;
        if (process_->held.size() >= static_cast<std::size_t>(options.slots)) break;
        // A run that keeps ending hosts is tried by itself, so that its deaths are its own.
        const bool suspect = run.unclean >= deaths_to_suspect;
        if (suspect && !process_->held.empty()) continue;
        claimed.push_back(take(run));
        if (!process_->operated() || suspect) break;
    }
    return claimed;
}

void Process::serve(const ServeOptions& options,
                    std::function<void(std::unique_ptr<Activation>)> execute,
                    std::stop_token stop) {
    std::vector<std::thread> threads;
    const std::stop_callback wake_up(stop, [this] { state_.changed.notify_all(); });
    while (!stop.stop_requested()) {
        std::vector<std::unique_ptr<Activation>> claimed;
        {
            MemoryLock guard(state_);
            if (process_->dead) break;
            state_.serving[process_->owner] = options;
            state_.settle();
            claimed = claim_ready(options);
            if (claimed.empty()) state_.changed.wait_for(guard.lock, std::chrono::milliseconds(2));
        }
        for (auto& a : claimed)
            threads.emplace_back([&execute, a = std::move(a)]() mutable { execute(std::move(a)); });
    }
    for (auto& t : threads) t.join();
    const MemoryLock lock(state_);
    state_.serving.erase(process_->owner);
}

Result<std::vector<RunHead>> Process::runs(const RunQuery& q) {
    return looked<std::vector<RunHead>>([&]() -> Result<std::vector<RunHead>> {
        std::vector<RunHead> found;
        for (auto at = state_.runs.rbegin(); at != state_.runs.rend(); ++at) {
            const auto& h = at->second.head;
            if (!q.after.empty() && h.id >= q.after) continue;
            const bool wanted =
                (q.status.empty() ||
                 std::find(q.status.begin(), q.status.end(), h.status) != q.status.end()) &&
                (q.host.empty() || h.host == q.host) &&
                (q.workflow.empty() || h.workflow == q.workflow) &&
                (q.parent.empty() || h.parent == q.parent) &&
                (q.root.empty() || h.root == q.root) && (!q.since || h.created >= *q.since) &&
                h.id.rfind(q.id_prefix, 0) == 0;
            if (!wanted) continue;
            found.push_back(h);
            if (found.size() >= static_cast<std::size_t>(q.limit)) break;
        }
        return found;
    });
}

Result<std::vector<Gate>> Process::gates(const GateQuery& q) {
    return looked<std::vector<Gate>>([&]() -> Result<std::vector<Gate>> {
        std::vector<Gate> found;
        for (auto at = state_.gates.upper_bound(q.after); at != state_.gates.end(); ++at) {
            const auto& g = at->second.gate;
            const bool wanted = (q.run.empty() || g.run == q.run) &&
                                (q.root.empty() || g.root == q.root) &&
                                (q.kind.empty() || g.kind == q.kind) &&
                                (!q.pending_only || g.status == Gate::Status::pending) &&
                                g.id.rfind(q.id_prefix, 0) == 0;
            if (!wanted) continue;
            found.push_back(g);
            if (found.size() >= static_cast<std::size_t>(q.limit)) break;
        }
        return found;
    });
}

Result<std::vector<StoreItem>> Process::scan(std::string_view collection, std::string_view prefix,
                                             std::string_view after, int limit) {
    return looked<std::vector<StoreItem>>([&]() -> Result<std::vector<StoreItem>> {
        std::vector<StoreItem> found;
        const auto& items = state_.store[std::string(collection)].items;
        auto at =
            after < prefix || after.empty() ? items.lower_bound(prefix) : items.upper_bound(after);
        for (; at != items.end() && at->first.rfind(prefix, 0) == 0; ++at) {
            if (at->second.removed) continue;
            if (found.size() >= static_cast<std::size_t>(limit)) break;
            found.push_back(at->second);
        }
        return found;
    });
}

Result<std::vector<StoreItem>> Process::changes(std::string_view collection, std::uint64_t revision,
                                                int limit) {
    return looked<std::vector<StoreItem>>([&]() -> Result<std::vector<StoreItem>> {
        std::vector<StoreItem> found;
        for (const auto& [key, item] : state_.store[std::string(collection)].items)
            if (item.revision > revision) found.push_back(item);
        std::sort(found.begin(), found.end(),
                  [](const auto& a, const auto& b) { return a.revision < b.revision; });
        if (found.size() > static_cast<std::size_t>(limit)) found.resize(limit);
        return found;
    });
}

} // namespace

MemoryJournal::MemoryJournal(const Clock& clock) : state_(std::make_shared<MemoryState>(clock)) {}

std::unique_ptr<MemoryEngine> MemoryJournal::process(std::string owner) {
    const MemoryLock lock(*state_);
    auto process = std::make_shared<MemoryProcess>();
    process->state = state_;
    // Never the same twice: a new process is not the dead one that had its name.
    process->owner =
        (owner.empty() ? "process" : owner) + "-" + std::to_string(++state_->processes);
    state_->live.insert(process->owner);
    return std::make_unique<Process>(std::move(process));
}

void MemoryJournal::cut(std::optional<Cut> cut) {
    const MemoryLock lock(*state_);
    state_->cut = cut;
}
std::uint64_t MemoryJournal::operations() const {
    const MemoryLock lock(*state_);
    return state_->operations;
}
std::vector<std::string> MemoryJournal::order() const {
    const MemoryLock lock(*state_);
    return state_->order;
}
void MemoryJournal::enforce(std::vector<std::string> order) {
    const MemoryLock lock(*state_);
    state_->enforced = std::move(order);
    state_->changed.notify_all();
}

} // namespace foxwedge::journal
