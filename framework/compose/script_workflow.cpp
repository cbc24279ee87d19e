#include "compose/script_workflow.hpp"

#include <algorithm>

#include "agent/budget/ledger.hpp"
#include "agent/calls/ending.hpp"
#include "agent/services/workflow_records.hpp"
#include "agent/step_call.hpp"

namespace foxwedge::compose {
namespace {

constexpr const char* plan_step = "script:plan";
constexpr const char* script_step = "script";
constexpr const char* end_step = "script:end";

std::vector<std::string> path_above(const journal::RunHead& head) {
    std::vector<std::string> path;
    const auto labels = parse_json(head.labels_json.empty() ? "{}" : head.labels_json);
    const JsonArray* const agents = labels ? array_member(*labels, "agentPath") : nullptr;
    if (agents)
        for (const Json& id : *agents)
            if (id.is_string()) path.emplace_back(view(id.get_string()));
    return path;
}

/// What the component answered, or why it could not.
Result<Json> answer_of(const Result<ToolResult>& result) {
    if (!result) return result.error();
    if (!result->is_error) return result->structured ? *result->structured : Json();
    const auto text = text_of(agent::blocks_of(*result));
    const auto code = string_member(result->details, "code").value_or("SCRIPT_ERROR");
    return permanent(std::string(code), text,
                     result->details.is_null() ? std::string() : to_text(result->details));
}

/// What the budgets over a run leave, member by member; null where there is none.
Result<Json> left_of(const std::vector<agent::BudgetHolder>& holders, agent::World& world) {
    JsonObject left;
    for (const auto& [run, budget] : holders) {
        FOXWEDGE_TRY(spent, agent::spent_under(world, run));
        const auto& usage = spent.usage;
        const auto input = usage.input + usage.cache_read + usage.cache_write;
        const auto take = [&](const char* name, const auto& limit, auto used) {
            if (!limit) return;
            const double rest =
                std::max(0.0, static_cast<double>(*limit) - static_cast<double>(used));
            const auto* const before = left.if_contains(name);
            left[name] = before ? std::min(before->get_double(), rest) : rest;
        };
        take("inputTokens", budget.input_tokens, input);
        take("outputTokens", budget.output_tokens, usage.output);
        take("totalTokens", budget.total_tokens, input + usage.output);
        take("usd", budget.usd, spent.usd.value_or(0));
    }
    return left.empty() ? Json() : Json(std::move(left));
}

Result<Json> planned(run::Run& run, const ScriptJob& job, agent::World& world) {
    run::StepOptions options;
    options.kind = "script-plan";
    options.retry = world.retry;
    FOXWEDGE_TRY(
        value, run.step(plan_step, options, [&](run::StepCall& step) -> Result<run::StepValue> {
            FOXWEDGE_TRY(source, world.capability(script_component));
            agent::ContractCall contract(run, step, plan_step, job.agent, world);
            JsonObject arguments{{"script", job.script}};
            arguments["limits"] = job.limits;
            const auto result = source->run(plan_step, to_text(arguments), contract.call());
            FOXWEDGE_TRY(plan, answer_of(result));
            FOXWEDGE_TRY(left, left_of(job.budgets, world));
            plan.get_object()["budget"] = std::move(left);
            run::StepValue made{to_text(plan)};
            if (const auto caller = agent::calling_run_of(run.head()); !caller.empty())
                made.effects.push_back(agent::workflow_record(
                    caller, run.id(), 0, JsonObject{{"type", "run-start"}, {"name", job.name}}));
            return made;
        }));
    return parse_json(value.value_json);
}

Result<run::StepValue> perform(run::Run& run, run::StepCall& step, const ScriptJob& job,
                               const Json& plan, agent::World& world) {
    FOXWEDGE_TRY(source, world.capability(script_component));
    agent::ContractCall contract(run, step, script_step, job.agent, world,
                                 agent::ContractCall::Access::writes);
    contract.offer_children({job.agent, path_above(run.head()), false, false, true});
    JsonObject arguments{{"script", job.script}, {"agent", job.agent}};
    arguments["args"] = job.args;
    arguments["plan"] = plan;
    arguments["limits"] = job.limits;
    const auto result = source->run("script:run", to_text(arguments), contract.call());
    FOXWEDGE_TRY(made, answer_of(result));
    if (const auto left = step.lane().next_step(); !left.empty())
        return permanent("NONDETERMINISM",
                         "the script has ended, but \"" + std::string(left) + "\" is on record",
                         to_text(JsonObject{{"asked", nullptr}, {"recorded", left}}));
    run::StepValue value{to_text(made)};
    value.usage_json = to_text(to_json(contract.spent_by_children()));
    return value;
}

/// A script that nobody waits for writes itself that it has ended.
Status note_end(run::Run& run, bool succeeded, const agent::World& world) {
    const auto labels = parse_json(run.head().labels_json.empty() ? "{}" : run.head().labels_json);
    if (!labels || !bool_member(*labels, "detached").value_or(false)) return {};
    run::StepOptions options;
    options.kind = "script-end";
    const auto done = run.step(end_step, options, [&](run::StepCall&) {
        run::StepValue value;
        const auto caller = agent::calling_run_of(run.head());
        if (!succeeded && world.store)
            value.effects = agent::closing_records(
                [&world](auto&&... where) { return world.store->scan(where...); }, caller, run.id(),
                "error");
        if (value.effects.empty())
            value.effects.push_back(agent::workflow_record(
                caller, run.id(), agent::record_of_end,
                JsonObject{{"type", "run-end"},
                           {"stopReason", succeeded ? "completed" : "error"}}));
        return Result<run::StepValue>(std::move(value));
    });
    if (!done) return done.error();
    return {};
}

} // namespace

Result<Json> run_script(run::Run& run, const ScriptJob& job, agent::World& world) {
    FOXWEDGE_TRY(plan, planned(run, job, world));
    run::StepOptions options;
    options.kind = "script";
    options.inputs = JsonObject{{"script", job.script}, {"agent", job.agent}};
    options.inputs.get_object()["args"] = job.args;
    options.retry = world.retry;
    options.container = true;
    options.path = path_above(run.head());
    auto done = run.step(script_step, options,
                         [&](run::StepCall& step) { return perform(run, step, job, plan, world); });
    FOXWEDGE_CHECK(note_end(run, static_cast<bool>(done), world));
    FOXWEDGE_TRY(value, std::move(done));
    FOXWEDGE_TRY(made, parse_json(value.value_json));
    const auto usage = parse_json(value.usage_json);
    JsonObject out;
    const Json* const result = member(made, "result");
    out["final"] = result ? *result : Json();
    out["stopReason"] = "final";
    out["agentsStarted"] = integer_member(made, "agentsStarted").value_or(0);
    if (usage) out["usage"] = *usage;
    return Json(std::move(out));
}

} // namespace foxwedge::compose
