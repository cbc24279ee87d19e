#include "compose/served_tasks.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "agent/services/workflow_records.hpp"
#include "compose/served_gate.hpp"
#include "compose/served_runs.hpp"
#include "compose/workflows.hpp"
#include "http/crew.hpp"

namespace foxwedge::compose {
namespace {

using journal::RunHead, journal::RunStatus;

constexpr Millis poll{1000};

Result<RunHead> run_of_call(Host& host, std::string_view id, std::string_view recognised,
                            const std::string& default_user) {
    FOXWEDGE_TRY(head, run_of_user(host, id, recognised, default_user));
    if (head.workflow.starts_with(call_prefix)) return head;
    return permanent("not_found", "no call has gone on as the task \"" + std::string(id) + "\"");
}

bool is_over(RunStatus status) {
    return status == RunStatus::succeeded || status == RunStatus::failed ||
           status == RunStatus::cancelled || status == RunStatus::stuck;
}

/// The run of a task as it is at one moment.
struct Look {
    RunHead head;
    std::vector<journal::Gate> gates; ///< the first that is open
    bool over() const { return is_over(head.status); }
    /// Nobody has to be waited for.
    bool can_go_on() const { return !over() && gates.empty(); }
};

Result<Look> look_at(Host& host, RunHead head) {
    journal::GateQuery query;
    query.root = head.id;
    query.limit = 1;
    FOXWEDGE_TRY(gates, host.engine().gates(query));
    return Look{std::move(head), std::move(gates)};
}

Result<Json> told_of(const Look& look) {
    const RunHead& head = look.head;
    JsonObject state{{"taskId", head.id},
                     {"status", "working"},
                     {"createdAt", to_text(head.created)},
                     {"lastUpdatedAt", to_text(head.updated)},
                     {"ttlMs", nullptr},
                     {"pollIntervalMs", poll.count()}};
    if (!look.gates.empty()) state["statusMessage"] = waiting_text(look.gates.front());
    if (!look.over()) return Json(std::move(state));
    if (head.status == RunStatus::cancelled) {
        state["status"] = "cancelled";
        return Json(std::move(state));
    }
    // A call that failed has a result all the same: it is what the call would have answered.
    FOXWEDGE_TRY(result, result_of_call(head.id, head.status == RunStatus::succeeded,
                                        head.result.value_or(journal::Outcome())));
    state["status"] = "completed";
    state["result"] = mcp::served_result(result);
    return Json(std::move(state));
}

/// Looks at the tasks that clients listen to, and goes on with those that somebody has decided.
class TaskWatch {
public:
    TaskWatch(Host& host, std::string default_user)
        : host_(host), default_user_(std::move(default_user)) {}

    std::shared_ptr<void> add(std::vector<std::string> ids, std::string_view user,
                              mcp::ServedTasks::Tell tell) {
        auto watched = std::make_shared<Watched>();
        watched->user = user;
        watched->tell = std::move(tell);
        for (auto& id : ids) watched->told[std::move(id)] = "";
        std::lock_guard lock(mutex_);
        all_.push_back(watched);
        if (!thread_.joinable())
            thread_ = std::jthread([this](std::stop_token stop) { watch(std::move(stop)); });
        woken_.notify_all();
        return watched;
    }

private:
    struct Watched {
        std::string user;
        mcp::ServedTasks::Tell tell;
        std::map<std::string, std::string> told; ///< by task: what was last told of it, in short
    };

    void watch(std::stop_token stop) {
        std::unique_lock lock(mutex_);
        const auto wanted = [this] { return !all_.empty(); };
        while (woken_.wait(lock, stop, wanted) && !stop.stop_requested()) {
            std::vector<std::shared_ptr<Watched>> live;
            std::erase_if(all_, [&](const auto& each) {
                live.push_back(each.lock());
                return !live.back();
            });
            lock.unlock();
            for (const auto& each : live)
                if (each) look(*each);
            live.clear();
            lock.lock();
            woken_.wait_for(lock, stop, poll, [&] { return stop.stop_requested(); });
        }
    }

    void look(Watched& watched) {
        for (auto each = watched.told.begin(); each != watched.told.end();)
            each = look(watched, each->first, each->second) ? std::next(each)
                                                            : watched.told.erase(each);
    }

    /// False where nothing more is to be told of the task. `told`: what was last, in short.
    bool look(const Watched& watched, const std::string& id, std::string& told) {
        auto head = run_of_call(host_, id, watched.user, default_user_);
        if (!head) return false;
        const auto seen = look_at(host_, *std::move(head));
        if (!seen) return true; // the journal is busy; it is looked at again
        const auto state = told_of(*seen);
        if (!state) return false;
        auto now = text_member(*state, "status") + text_member(*state, "statusMessage");
        if (now != told) watched.tell(*state);
        told = std::move(now);
        if (seen->can_go_on()) go_on(id);
        return !seen->over();
    }

    /// Aside: a call may take its time, and others are watched meanwhile.
    void go_on(const std::string& run) {
        {
            std::lock_guard lock(mutex_);
            if (!going_on_.insert(run).second) return;
        }
        crew_.run([this, run] {
            // Where another process goes on with it this fails, and it is looked at again.
            (void)host_.execute(run, {});
            std::lock_guard lock(mutex_);
            going_on_.erase(run);
        });
    }

    static std::string text_member(const Json& object, std::string_view key) {
        return std::string(string_member(object, key).value_or(""));
    }

    Host& host_;
    const std::string default_user_;
    std::mutex mutex_;
    std::condition_variable_any woken_;
    std::vector<std::weak_ptr<Watched>> all_;
    std::set<std::string> going_on_;
    http::Crew crew_;
    std::jthread thread_; ///< last: it uses the rest
};

} // namespace

Result<ToolResult> result_of_call(const std::string& run, bool succeeded,
                                  const journal::Outcome& outcome) {
    if (succeeded) {
        FOXWEDGE_TRY(value, parse_json(outcome.value_json));
        return tool_result_from_json(value);
    }
    const auto& error = outcome.error;
    return error_result(error ? error->code : "failed",
                        (error ? error->message : "The call did not succeed.") + " (run " + run +
                            ")");
}

Result<Json> task_state(Host& host, std::string_view run, std::string_view recognised,
                        const std::string& default_user) {
    FOXWEDGE_TRY(head, run_of_call(host, run, recognised, default_user));
    FOXWEDGE_TRY(look, look_at(host, std::move(head)));
    if (look.can_go_on()) {
        // Where another process goes on with it this fails, and the client asks again.
        (void)host.execute(look.head.id, {});
        FOXWEDGE_TRY(now, host.engine().head(look.head.id));
        FOXWEDGE_TRY(next, look_at(host, std::move(now)));
        look = std::move(next);
    }
    return told_of(look);
}

void serve_tasks(Host& host, const std::string& default_user, mcp::Service& service) {
    mcp::ServedTasks tasks;
    tasks.state = [&host, default_user](std::string_view id, mcp::Served& served) {
        return task_state(host, id, served.user(), default_user);
    };
    tasks.cancel = [&host, default_user](std::string_view id, mcp::Served& served) -> Status {
        FOXWEDGE_TRY(head, run_of_call(host, id, served.user(), default_user));
        if (is_over(head.status)) return {};
        const std::string user(served.user().empty() ? default_user : served.user());
        FOXWEDGE_CHECK(host.engine().cancel(head.id, "user:" + user));
        return agent::close_cancelled(host.engine(), head.root);
    };
    tasks.known = [&host, default_user](std::string_view id, std::string_view user) {
        return run_of_call(host, id, user, default_user).ok();
    };
    tasks.watch = [watch = std::make_shared<TaskWatch>(host, default_user)](
                      std::vector<std::string> ids, std::string_view user,
                      mcp::ServedTasks::Tell tell) {
        return watch->add(std::move(ids), user, std::move(tell));
    };
    service.follow_by(std::move(tasks));
}

} // namespace foxwedge::compose
