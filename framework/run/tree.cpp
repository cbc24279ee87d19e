#include "run/tree.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace foxwedge::run {

using journal::RunStatus;

Finished finished_of(const journal::RunHead& head) {
    Finished finished;
    if (head.result) finished.outcome = *head.result;
    finished.error = finished.outcome.error;
    finished.how = head.status == RunStatus::succeeded   ? Ended::succeeded
                   : head.status == RunStatus::cancelled ? Ended::cancelled
                                                         : Ended::failed;
    return finished;
}

namespace {

/// How often the journal is asked what other processes did.
constexpr std::chrono::milliseconds look_again{500};

class Tree {
public:
    Tree(journal::Engine& engine, journal::RunHead head, const TreeOptions& options)
        : engine_(engine), head_(std::move(head)), options_(options) {}
    ~Tree() {
        if (!server_.joinable()) return;
        server_.request_stop();
        server_.join();
    }

    Finished run(std::unique_ptr<journal::Activation> held) {
        if (!held->records().empty() && others_under_way()) serve();
        execute_one(std::move(held));
        for (;;) {
            {
                std::unique_lock lock(mutex_);
                if (const auto at = ends_.find(head_.id);
                    at != ends_.end() && at->second.how != Ended::parked)
                    return at->second;
            }
            if (auto left = nothing_left()) return *left;
            serve();
            std::unique_lock lock(mutex_);
            changed_.wait_for(lock, look_again, [&] { return std::exchange(moved_, false); });
        }
    }

private:
    void execute_one(std::unique_ptr<journal::Activation> held) {
        const auto& head = held->run();
        const std::string id = head.id;
        {
            const std::lock_guard lock(mutex_);
            ends_.erase(id);
        }
        auto workflow = options_.workflow(head);
        if (!workflow)
            workflow = Workflow([error = workflow.error()](Run&) -> Result<Json> { return error; });
        ExecuteOptions execute_options;
        execute_options.log = options_.log;
        execute_options.pool = options_.pool;
        execute_options.stay_for_timers = true;
        execute_options.stay_for_children = true;
        execute_options.stay_for_decisions = options_.stay_for_decisions;
        execute_options.brief = options_.brief && options_.brief(head);
        execute_options.events = [this](const Event& event) {
            // A child is on record: somebody must run it while its parent may hold its thread.
            if (event.kind == Event::Kind::step_started && event.step_kind.starts_with("child"))
                serve();
            if (options_.events) options_.events(event);
        };
        Finished finished = execute(*held, *workflow, execute_options);
        held.reset();
        const std::lock_guard lock(mutex_);
        ends_[id] = std::move(finished);
        moved_ = true;
        changed_.notify_all();
    }

    void serve() {
        const std::lock_guard lock(mutex_);
        if (server_.joinable()) return;
        server_ = std::jthread([this](std::stop_token stop) {
            journal::ServeOptions wanted;
            wanted.host = head_.host;
            wanted.only_root = head_.root;
            engine_.serve(
                wanted, [this](auto held) { execute_one(std::move(held)); }, stop);
        });
    }

    /// Children from before our time, for which their parent need not be waiting.
    bool others_under_way() {
        journal::RunQuery query;
        query.root = head_.root;
        query.status = {RunStatus::ready, RunStatus::running, RunStatus::waiting};
        query.limit = 2;
        const auto runs = engine_.runs(query);
        return runs && std::any_of(runs->begin(), runs->end(),
                                   [&](const auto& run) { return run.id != head_.id; });
    }

    /// The end, if nothing in the tree will move without a decision.
    std::optional<Finished> nothing_left() {
        journal::RunQuery query;
        query.root = head_.root;
        query.status = {RunStatus::ready, RunStatus::running, RunStatus::waiting, RunStatus::stuck};
        query.limit = 1000;
        const auto runs = engine_.runs(query);
        journal::GateQuery open;
        open.root = head_.root;
        open.limit = 1000;
        const auto gates = engine_.gates(open);
        if (!runs || !gates) {
            Finished fault;
            fault.how = Ended::fault;
            fault.error = runs ? gates.error() : runs.error();
            return fault;
        }
        std::set<std::string> asks, parents;
        for (const auto& gate : *gates) asks.insert(gate.run);
        for (const auto& run : *runs) parents.insert(run.parent);
        Finished left;
        left.how = Ended::parked;
        left.waiting_for_decision_only = true;
        const std::lock_guard lock(mutex_);
        bool self = false;
        for (const auto& run : *runs) {
            if (run.id == head_.id) self = true;
            if (run.status == RunStatus::stuck) {
                left.waiting_for_decision_only = false;
                left.error = permanent("run_stuck", "run " + run.id + " is stuck: " + run.reason);
                continue;
            }
            if (run.status != RunStatus::waiting) return std::nullopt;
            const auto end = ends_.find(run.id);
            if (end != ends_.end()) {
                if (end->second.how == Ended::replay_mismatch) {
                    left.waiting_for_decision_only = false;
                    left.error = end->second.error;
                    continue;
                }
                if (end->second.wakes_at) return std::nullopt;
                continue;
            }
            // Parked before our time: without a gate or a child it waits for a timer or a signal.
            if (!asks.count(run.id) && !parents.count(run.id)) return std::nullopt;
        }
        if (!self) { // ended by somebody else
            const auto head = engine_.head(head_.id);
            if (head && journal::is_final(head->status)) return finished_of(*head);
            return std::nullopt;
        }
        if (options_.stay_for_decisions && !left.error) return std::nullopt;
        return left;
    }

    journal::Engine& engine_;
    const journal::RunHead head_;
    const TreeOptions& options_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Finished> ends_; ///< of what was executed here last
    bool moved_ = false;
    std::jthread server_;
};

} // namespace

Result<Finished> run_tree(journal::Engine& engine, std::string_view run,
                          const TreeOptions& options) {
    auto held = engine.open(run, options.open);
    if (!held) {
        if (held.error().code != "run_finished") return std::move(held).error();
        FOXWEDGE_TRY(head, engine.head(run));
        return finished_of(head);
    }
    return run_tree(engine, std::move(*held), options);
}

Finished run_tree(journal::Engine& engine, std::unique_ptr<journal::Activation> held,
                  const TreeOptions& options) {
    Tree tree(engine, held->run(), options);
    return tree.run(std::move(held));
}

} // namespace foxwedge::run
