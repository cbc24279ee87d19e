#include "compose/plugin_builds.hpp"

#include <map>

#include "base/text.hpp"
#include "run/on_record.hpp"

namespace foxwedge::compose {
namespace {

constexpr int most_runs_of_a_tree = 10'000;

using Component = std::pair<std::string, std::string>; // kind, id
using Builds = std::map<Component, Json>;

Component component_of(const Json& value) {
    return {std::string(string_member(value, "kind").value_or("")),
            std::string(string_member(value, "component").value_or(""))};
}

/// The newest word on each component, in the order in which it was recorded.
Builds on_record(std::span<const journal::Record> records) {
    std::map<std::uint64_t, const journal::Record*> in_order;
    const auto notes = run::note_lane(plugin_changed);
    for (const auto& record : records)
        if (record.outcome && !record.outcome->error &&
            (record.key.kind == "tools" || record.key.lane == notes))
            in_order[record.sequence] = &record;
    Builds builds;
    for (const auto& [sequence, record] : in_order) {
        const auto value = parse_json(record->outcome->value_json);
        if (!value) continue;
        if (const auto* list = array_member(*value, "builds"))
            for (const Json& one : *list)
                if (const Json* build = member(one, "build")) builds[component_of(one)] = *build;
        if (const auto* list = array_member(*value, "changes"))
            for (const Json& one : *list)
                if (const Json* now = member(one, "now")) builds[component_of(one)] = *now;
    }
    return builds;
}

std::string build_text(const Json& build) {
    return std::string(string_member(build, "version").value_or("?")) + " (" +
           std::string(string_member(build, "sha256").value_or("?").substr(0, 12)) + ")";
}

} // namespace

JsonArray changed_builds(std::span<const journal::Record> records, const BuildLookup& look_up) {
    JsonArray changes;
    for (const auto& [component, was] : on_record(records)) {
        const auto now = look_up(component.first, component.second);
        // One that is gone is told of by whoever needs it.
        if (!now || *now == was) continue;
        JsonObject change{{"kind", component.first}, {"component", component.second}};
        change["was"] = was;
        change["now"] = *now;
        changes.push_back(std::move(change));
    }
    return changes;
}

Status check_builds(journal::Engine& engine, std::string_view run_id, const BuildLookup& look_up) {
    FOXWEDGE_TRY(head, engine.head(run_id));
    journal::RunQuery tree;
    tree.root = head.root;
    tree.limit = most_runs_of_a_tree;
    FOXWEDGE_TRY(runs, engine.runs(tree));
    for (const auto& run : runs) {
        if (run.id != head.id && is_final(run.status)) continue;
        FOXWEDGE_TRY(records, engine.records(run.id));
        const auto changes = changed_builds(records, look_up);
        if (!changes.empty())
            return permanent(std::string(plugin_changed),
                             "run " + run.id +
                                 " was begun with other plugins: " + changes_text(changes) +
                                 "; restore them, or take strictPlugins away");
    }
    return {};
}

std::string changes_text(const JsonArray& changes) {
    std::vector<std::string> all;
    for (const Json& change : changes)
        all.push_back(component_of(change).second + " " + build_text(*member(change, "was")) +
                      " → " + build_text(*member(change, "now")));
    return join(all, ", ");
}

} // namespace foxwedge::compose
