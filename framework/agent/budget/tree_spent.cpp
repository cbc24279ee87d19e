#include "agent/budget/tree_spent.hpp"

#include "base/id.hpp"

namespace foxwedge::agent {
namespace {

/// A container's record repeats what its children have cost.
bool of_children(const journal::Record& record) {
    return record.key.kind == "tool" || record.key.kind == "script";
}

} // namespace

std::optional<Spent> spent_by_result(const journal::Outcome& outcome) {
    const auto value = parse_json(outcome.value_json.empty() ? "null" : outcome.value_json);
    const Json* const usage = value ? member(*value, "usage") : nullptr;
    return usage ? std::optional(spent_from_json(*usage)) : std::nullopt;
}

Result<Spent> spent_by_tree(journal::Engine& engine, const journal::RunHead& run) {
    if (run.result)
        if (const auto said = spent_by_result(*run.result)) return *said;
    Spent total;
    FOXWEDGE_TRY(records, engine.records(run.id));
    for (const auto& record : records) {
        if (record.usage_json.empty() || of_children(record)) continue;
        if (const auto usage = parse_json(record.usage_json)) total += spent_from_json(*usage);
    }
    journal::RunQuery query;
    query.parent = run.id;
    query.root = run.root.empty() ? run.id : run.root;
    query.id_prefix = query.root.substr(0, id_time_length); // a tree's ids have it in common
    query.limit = 1'000;
    for (;;) {
        FOXWEDGE_TRY(children, engine.runs(query));
        for (const auto& child : children) {
            FOXWEDGE_TRY(spent, spent_by_tree(engine, child));
            total += spent;
        }
        if (children.size() < static_cast<std::size_t>(query.limit)) return total;
        query.after = children.back().id;
    }
}

Result<Spent> spent_by_tree(journal::Engine& engine, std::string_view run) {
    FOXWEDGE_TRY(head, engine.head(run));
    return spent_by_tree(engine, head);
}

} // namespace foxwedge::agent
