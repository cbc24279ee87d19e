#include "compose/served_tasks.hpp"

#include "compose/served_gate.hpp"
#include "compose/served_runs.hpp"
#include "compose/workflows.hpp"
#include "mcp/message.hpp"

namespace foxwedge::compose {
namespace {

using journal::RunHead, journal::RunStatus;

constexpr std::int64_t poll_ms = 1000;

Result<RunHead> run_of_call(Host& host, std::string_view id, std::string_view recognised,
                            const std::string& default_user) {
    FOXWEDGE_TRY(head, run_of_user(host, id, recognised, default_user));
    if (head.workflow.starts_with(call_prefix)) return head;
    return permanent("not_found", "no call has gone on as the task \"" + std::string(id) + "\"");
}

Result<std::vector<journal::Gate>> open_gates(Host& host, const std::string& run) {
    journal::GateQuery query;
    query.root = run;
    query.limit = 1;
    return host.engine().gates(query);
}

bool is_over(RunStatus status) {
    return status == RunStatus::succeeded || status == RunStatus::failed ||
           status == RunStatus::cancelled || status == RunStatus::stuck;
}

/// What has become of a call that is over, in a task's words.
Status add_end(JsonObject& state, const RunHead& head) {
    if (head.status == RunStatus::cancelled) {
        state["status"] = "cancelled";
    } else if (head.status == RunStatus::succeeded && head.result) {
        FOXWEDGE_TRY(value, parse_json(head.result->value_json));
        FOXWEDGE_TRY(result, tool_result_from_json(value));
        state["status"] = "completed";
        state["result"] = mcp::served_result(result);
    } else {
        const bool told = head.result && head.result->error;
        state["status"] = "failed";
        state["error"] = JsonObject{
            {"code", mcp::rpc::internal_error},
            {"message", told ? head.result->error->message : "The call did not succeed."}};
    }
    return {};
}

} // namespace

Result<Json> task_state(Host& host, std::string_view run, std::string_view recognised,
                        const std::string& default_user) {
    FOXWEDGE_TRY(head, run_of_call(host, run, recognised, default_user));
    FOXWEDGE_TRY(gates, open_gates(host, head.id));
    if (!is_over(head.status) && gates.empty()) {
        // Where another process goes on with it this fails, and the client asks again.
        (void)host.execute(head.id, {});
        FOXWEDGE_TRY(now, host.engine().head(head.id));
        head = std::move(now);
        FOXWEDGE_TRY(next, open_gates(host, head.id));
        gates = std::move(next);
    }
    JsonObject state{{"taskId", head.id},
                     {"status", "working"},
                     {"createdAt", to_text(head.created)},
                     {"lastUpdatedAt", to_text(head.updated)},
                     {"ttlMs", nullptr},
                     {"pollIntervalMs", poll_ms}};
    if (!gates.empty()) state["statusMessage"] = waiting_text(gates.front());
    if (is_over(head.status)) FOXWEDGE_CHECK(add_end(state, head));
    return Json(std::move(state));
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
        return host.engine().cancel(head.id, "user:" + user);
    };
    service.follow_by(std::move(tasks));
}

} // namespace foxwedge::compose
