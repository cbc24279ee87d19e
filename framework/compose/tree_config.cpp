#include "compose/tree_config.hpp"

#include "compose/config_change.hpp"
#include "run/run.hpp"

namespace foxwedge::compose {
namespace {

constexpr int most_runs_of_a_tree = 10'000;

} // namespace

Result<Json> configuration_for(journal::Engine& engine, const journal::RunHead& head,
                               const Json& own, const Json& wanted) {
    if (head.root.empty() || head.root == head.id) return wanted;
    FOXWEDGE_TRY(root, engine.head(head.root));
    FOXWEDGE_TRY(records, engine.records(head.root));
    FOXWEDGE_TRY(in_force, config_in_force(root, records));
    return given_to(own, in_force, wanted);
}

Status change_tree(journal::Engine& engine, const journal::RunHead& head, const Json& from,
                   const Json& to, const std::map<std::string, ProviderTraits>& providers,
                   bool reopen) {
    journal::RunQuery tree;
    tree.root = head.root;
    tree.limit = most_runs_of_a_tree;
    FOXWEDGE_TRY(runs, engine.runs(tree));
    for (const auto& run : runs) {
        const bool self = run.id == head.id;
        if (!self && is_final(run.status)) continue;
        FOXWEDGE_TRY(held, engine.open(run.id, {.retry = self && reopen}));
        FOXWEDGE_TRY(own, config_in_force(held->run(), held->records()));
        ConfigRecord record;
        record.config = with_changes(own, from, to);
        record.changes = differences(own, record.config);
        record.providers = providers;
        if (record.changes.empty()) continue;
        FOXWEDGE_CHECK(run::change_configuration(*held, to_text(to_json(record))));
    }
    return {};
}

} // namespace foxwedge::compose
