#include "agent/services/workflow_records.hpp"

#include <cstdio>

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

std::string calling_run_of(const journal::RunHead& script_run) {
    const auto labels = parse_json(script_run.labels_json.empty() ? "{}" : script_run.labels_json);
    return labels ? std::string(string_member(*labels, "recordsIn").value_or("")) : std::string();
}

} // namespace foxwedge::agent
