#include "agent/calls/workflow_call.hpp"

#include "agent/budget/tree_spent.hpp"
#include "agent/tool.hpp"

namespace foxwedge::agent {

std::string labels_of_child(const journal::RunHead& parent, const std::vector<std::string>& path,
                            bool budget) {
    auto read = parse_json(parent.labels_json.empty() ? "{}" : parent.labels_json);
    JsonObject labels = read && read->is_object() ? read->get_object() : JsonObject();
    labels.erase("prompt"); // the parent's task is not the child's
    JsonArray agents;
    for (const std::string& id : path) agents.push_back(Json(id));
    labels["agentPath"] = std::move(agents);
    for (const char* own : {"forkedFrom", "forkedAt", "recordsIn", "detached", "label", "phase"})
        labels.erase(own);
    if (budget) {
        auto& holders = labels["budgets"];
        if (!holders.is_array()) holders = JsonArray();
        holders.get_array().push_back(JsonObject{{"run", parent.id}, {"agent", path.back()}});
    }
    return to_text(labels);
}

ToolResult result_of_child(const run::ChildResult& child) {
    const auto ended = [&](const std::string& why) {
        ToolResult result =
            error_result("child_failed", "The workflow's run " + child.run + " " + why);
        result.details.get_object()["run"] = child.run;
        return result;
    };
    if (child.status == journal::RunStatus::cancelled) return ended("was cancelled.");
    if (child.outcome.error)
        return ended("failed: " + child.outcome.error->code + ": " + child.outcome.error->message);
    auto value = parse_json(child.outcome.value_json);
    if (!value) return ended("gave no result that can be read.");
    // An agent's result says how it stopped; a plain workflow's is its value.
    const auto reason = string_member(*value, "stopReason");
    const Json* final = member(*value, "final");
    if (!reason || !final) return result_of(*value);
    if (*reason != "final") return ended("stopped: " + std::string(*reason) + ".");
    return result_of(*final);
}

std::string config_of_child(const run::Run& lane) {
    const auto texts = lane.configurations();
    const auto newest = parse_json(texts.empty() ? "null" : texts.back());
    const Json* const config = newest ? member(*newest, "config") : nullptr;
    return config ? to_text(*config) : lane.head().config_json;
}

Result<ToolResult> workflow_result(Session& session, const PlannedCall& call, run::StepCall& step,
                                   Call& contract, Spent& of_children) {
    const ToolOptions* own = session.settings(call.name);
    if (!own) return permanent("unknown_tool", "The tool \"" + call.name + "\" is gone.");
    if (!own->app.empty()) {
        if (!session.world.app) return permanent("unknown_app", "this host has no apps");
        FOXWEDGE_TRY(app, session.world.app(own->app));
        return app->run(own->workflow, to_text(call.arguments), contract);
    }
    run::ChildSpec child;
    child.name = call.step_name + ":child";
    child.workflow = own->workflow;
    child.input_json = to_text(call.arguments);
    child.config_json = config_of_child(step.lane());
    child.labels_json =
        labels_of_child(step.lane().head(), session.path, session.options.budget.has_value());
    FOXWEDGE_TRY(ended, step.lane().child(child));
    const auto value = parse_json(ended.outcome.value_json);
    if (const auto said = spent_by_result(ended.outcome)) {
        of_children = *said;
    } else if (session.world.spent_by_run) { // it failed or was cancelled, and is paid all the same
        FOXWEDGE_TRY(spent, session.world.spent_by_run(ended.run));
        of_children = spent;
    }
    // A budget of the child's own is its affair; one over both of us leaves nothing for us either.
    if (value && string_member(*value, "stopReason") == "budget")
        FOXWEDGE_CHECK(session.ledger.admit(Ledger::Kind::model, step.key()));
    return result_of_child(ended);
}

} // namespace foxwedge::agent
