#include "agent/services/workflow_records.hpp"

#include <cstdio>
#include <set>

#include "base/id.hpp"

namespace foxwedge::agent {

std::string workflow_records(std::string_view calling_run) {
    // No plugin reaches it: a plugin's id has no dot.
    return journal::collection_name("foxwedge.workflows", "run", calling_run);
}

journal::Effect workflow_record(std::string_view calling_run, std::string_view script_run,
                                std::uint32_t n, JsonObject record) {
    char number[16];
    std::snprintf(number, sizeof number, "/%09u", static_cast<unsigned>(n));
    record["runId"] = script_run;
    journal::Effect effect;
    effect.collection = workflow_records(calling_run);
    effect.key = std::string(script_run) + number;
    effect.value_json = to_text(record);
    return effect;
}

std::vector<journal::Effect> closing_records(const ScanStore& scan, std::string_view calling_run,
                                             std::string_view script_run,
                                             std::string_view stop_reason) {
    constexpr int page = 200;
    std::vector<journal::Effect> out;
    const auto collection = workflow_records(calling_run);
    const std::string prefix = std::string(script_run) + "/";
    std::set<std::int64_t> open;
    std::uint32_t written = 0;
    for (std::string after;;) {
        const auto items = scan(collection, prefix, after, page);
        if (!items) return {};
        for (const auto& item : *items) {
            const auto record = parse_json(item.value_json);
            const auto type = record ? string_member(*record, "type").value_or("") : "";
            if (type == "run-end") return {}; // they are closed
            const auto seq = record ? integer_member(*record, "seq").value_or(0) : 0;
            if (type == "agent-start") open.insert(seq);
            if (type == "agent-end") open.erase(seq);
            ++written;
        }
        if (items->size() < static_cast<std::size_t>(page)) break;
        after = items->back().key;
    }
    if (written == 0) return out;
    for (const auto seq : open)
        out.push_back(workflow_record(
            calling_run, script_run, written++,
            JsonObject{{"type", "agent-end"}, {"seq", seq}, {"outcome", "cancelled"}}));
    out.push_back(workflow_record(calling_run, script_run, record_of_end,
                                  JsonObject{{"type", "run-end"}, {"stopReason", stop_reason}}));
    return out;
}

Status close_cancelled(journal::Engine& engine, std::string_view root) {
    using journal::RunStatus;
    const ScanStore scan = [&](auto&&... where) { return engine.scan(where...); };
    journal::RunQuery query;
    query.root = root;
    query.id_prefix = std::string(root.substr(0, id_time_length)); // a tree's ids have it in common
    query.limit = 1'000;
    query.status = {RunStatus::cancelled};
    FOXWEDGE_TRY(cancelled, engine.runs(query));
    for (const auto& run : cancelled) {
        if (!run.workflow.starts_with(script_prefix)) continue;
        FOXWEDGE_TRY(head, engine.head(run.id));
        const auto caller = calling_run_of(head);
        if (caller.empty()) continue;
        query.parent = run.id;
        query.status = {RunStatus::ready, RunStatus::running, RunStatus::waiting};
        FOXWEDGE_TRY(moving, engine.runs(query));
        if (!moving.empty()) continue; // whoever executes them comes by here
        const auto effects = closing_records(scan, caller, run.id, "cancelled");
        if (!effects.empty()) FOXWEDGE_CHECK(engine.apply(effects));
    }
    return {};
}

std::string calling_run_of(const journal::RunHead& script_run) {
    const auto labels = parse_json(script_run.labels_json.empty() ? "{}" : script_run.labels_json);
    return labels ? std::string(string_member(*labels, "recordsIn").value_or("")) : std::string();
}

} // namespace foxwedge::agent
