#include "children.hpp"

#include <algorithm>
#include <map>

#include "agent/services/workflow_records.hpp"
#include "base/text.hpp"
#include "output.hpp"

namespace foxwedge::cli {
namespace {

using journal::Record;
using journal::RunHead;
using journal::RunStatus;
using State = TimelineRow::State;

constexpr std::size_t most_shown = 24; ///< of one phase; of more, those that are done are counted
constexpr int page = 500;

State state_of(RunStatus status) {
    switch (status) {
    case RunStatus::succeeded:
        return State::done;
    case RunStatus::failed:
    case RunStatus::stuck:
    case RunStatus::cancelled:
        return State::failed;
    case RunStatus::waiting:
        return State::waiting;
    default:
        return State::running;
    }
}

struct Child {
    RunHead head;
    std::string label, phase;
};
struct Phase {
    std::string title;
    std::vector<Child> children;
};

Child child_of(RunHead head) {
    Child child{std::move(head), {}, {}};
    const auto labels = parse_json(child.head.labels_json.empty() ? "{}" : child.head.labels_json);
    if (labels) {
        child.label = string_member(*labels, "label").value_or("");
        child.phase = string_member(*labels, "phase").value_or("");
    }
    if (child.label.empty()) child.label = child.head.workflow;
    return child;
}

/// In the order of the first start of each.
std::vector<Phase> phases_of(journal::Engine& engine, const std::vector<Record>& records,
                             const std::string& lane) {
    std::vector<Phase> phases;
    for (const auto& record : records) {
        if (record.key.lane != lane || record.key.kind != "child-start" || !record.outcome ||
            record.outcome->error)
            continue;
        const auto id = parse_json(record.outcome->value_json);
        if (!id || !id->is_string()) continue;
        auto head = engine.head(view(id->get_string()));
        if (!head) continue;
        auto child = child_of(std::move(*head));
        auto at = std::find_if(phases.begin(), phases.end(),
                               [&](const Phase& phase) { return phase.title == child.phase; });
        if (at == phases.end()) at = phases.insert(at, {child.phase, {}});
        at->children.push_back(std::move(child));
    }
    return phases;
}

std::string remark_of(const Child& child) {
    const auto& result = child.head.result;
    if (!result) return child.head.id;
    if (result->error) return result->error->code + ": " + shortened(result->error->message, 60);
    const auto value = parse_json(result->value_json);
    const auto* const final = value ? member(*value, "final") : nullptr;
    const auto reason = value ? string_member(*value, "stopReason").value_or("final") : "final";
    if (reason != "final") return "stopped: " + std::string(reason);
    const Json& shown = final ? *final : value ? *value : Json();
    return shortened(shown.is_string() ? std::string(view(shown.get_string())) : to_text(shown),
                     60);
}

TimelineRow row_of(const Child& child, Time now, int depth) {
    const auto& head = child.head;
    TimelineRow row;
    row.depth = depth;
    row.state = state_of(head.status);
    row.mark = row.state == State::waiting ? "?" : "└";
    row.what = child.label;
    row.kind = "agent";
    if (head.workflow.starts_with(agent::script_prefix)) row.kind = "script";
    const bool over = journal::is_final(head.status);
    row.took = over ? to_human_text(head.updated - head.created)
                    : std::string(to_string(head.status)) + " " + to_human_text(now - head.created);
    row.remark = remark_of(child);
    return row;
}

std::string tally(const Phase& phase) {
    std::map<std::string, std::size_t> counts;
    for (const auto& child : phase.children) ++counts[to_string(child.head.status)];
    std::vector<std::string> parts;
    for (const auto& [status, count] : counts)
        parts.push_back(std::to_string(count) + " " + status);
    return join(parts, ", ");
}

} // namespace

std::vector<TimelineRow> child_rows(journal::Engine& engine, const std::vector<Record>& records,
                                    const std::string& lane, Time now, int depth) {
    std::vector<TimelineRow> rows;
    for (const auto& phase : phases_of(engine, records, lane)) {
        const bool titled = !phase.title.empty();
        if (titled)
            rows.push_back({depth, "▸", phase.title, "phase", "", tally(phase), State::done});
        const bool many = phase.children.size() > most_shown;
        std::size_t left_out = 0;
        for (const auto& child : phase.children) {
            if (many && child.head.status == RunStatus::succeeded) {
                ++left_out;
                continue;
            }
            rows.push_back(row_of(child, now, depth + titled));
            if (!child.head.workflow.starts_with(agent::script_prefix)) continue;
            const auto below = engine.records(child.head.id);
            if (!below) continue;
            const auto first = std::find_if(below->begin(), below->end(), [](const auto& r) {
                return r.key.kind == "child-start";
            });
            if (first == below->end()) continue;
            auto more = child_rows(engine, *below, first->key.lane, now, depth + titled + 1);
            std::move(more.begin(), more.end(), std::back_inserter(rows));
        }
        if (left_out > 0)
            rows.push_back({depth + titled, "└", std::to_string(left_out) + " more", "agent", "",
                            "succeeded", State::done});
    }
    return rows;
}

std::vector<TimelineRow> EndedChildren::fresh(journal::Engine& engine,
                                              const std::vector<Record>& records, Time now) {
    std::vector<const Record*> ends;
    for (const auto& record : records)
        if (record.key.kind == "child-end" && record.outcome && !record.outcome->error)
            ends.push_back(&record);
    std::sort(ends.begin(), ends.end(),
              [](const auto* a, const auto* b) { return a->sequence < b->sequence; });
    std::vector<TimelineRow> rows;
    for (const auto* end : ends) {
        const auto value = parse_json(end->outcome->value_json);
        const auto run = value ? string_member(*value, "run") : std::nullopt;
        if (!run || !told_.insert(std::string(*run)).second) continue;
        auto head = engine.head(*run);
        if (!head) continue;
        const auto child = child_of(std::move(*head));
        const bool titled = !child.phase.empty();
        if (titled && child.phase != phase_)
            rows.push_back({1, "▸", child.phase, "phase", "", "", State::done});
        phase_ = child.phase;
        rows.push_back(row_of(child, now, 1 + titled));
    }
    return rows;
}

Result<JsonArray> workflow_records(journal::Engine& engine, const std::string& run) {
    JsonArray out;
    for (std::string after;;) {
        FOXWEDGE_TRY(items, engine.scan(agent::workflow_records(run), "", after, page));
        for (const auto& item : items) {
            FOXWEDGE_TRY(record, parse_json(item.value_json));
            out.push_back(std::move(record));
        }
        if (items.size() < static_cast<std::size_t>(page)) return out;
        after = items.back().key;
    }
}

} // namespace foxwedge::cli
