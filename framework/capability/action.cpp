#include "capability/action.hpp"

#include "agent/approval/evaluate.hpp"
#include "agent/approval/gate.hpp"
#include "agent/approval/resolution.hpp"
#include "agent/calls/argument_check.hpp"
#include "agent/calls/tool_ids.hpp"
#include "agent/step_call.hpp"

namespace foxwedge::capability {
namespace {

using agent::GateDecision;

constexpr std::string_view agent_id = "call";

/// The tool as its component describes it, recorded once.
Result<ToolDefinition> describe(run::Run& run, std::string_view tool_id, agent::World& world) {
    run::StepOptions options;
    options.kind = "discovery";
    options.inputs = JsonObject{{"tool", tool_id}};
    FOXWEDGE_TRY(
        step, run.step("call:tools", options, [&](run::StepCall& call) -> Result<run::StepValue> {
            const auto component = agent::component_of(tool_id);
            FOXWEDGE_TRY(source, world.capability(component));
            agent::ContractCall contract(run, call, "call:tools", agent_id, world);
            FOXWEDGE_TRY(list, source->list(contract.call()));
            for (const auto& tool : list.tools)
                if (agent::capability_tool_id(component, tool.name) == tool_id)
                    return run::StepValue{to_text(to_json(tool)), false, {}, {}};
            return permanent("unknown_tool", "the component \"" + std::string(component) +
                                                 "\" has no tool \"" + std::string(tool_id) + "\"");
        }));
    FOXWEDGE_TRY(record, parse_json(step.value_json));
    return tool_definition_from_json(record);
}

/// Asks a person where the catalogue's rule says so. The arguments that may run, or a refusal.
struct Permission {
    Json arguments;
    std::optional<ToolResult> instead; ///< a denial, or a person's own answer
};

Result<run::GateSpec> gate_of(std::string_view tool_id, const ToolDefinition& tool,
                              const Json& arguments, const agent::Applied& applied,
                              const agent::RuleVerdict& verdict) {
    run::GateSpec gate;
    gate.name = "call:approval";
    JsonObject about{{"tool", tool_id},
                     {"callId", "call"},
                     {"arguments", arguments},
                     {"schema", tool.input_schema},
                     {"risk", verdict.risk},
                     {"summary", verdict.summary},
                     {"ruleSource", to_string(applied.source)}};
    if (!verdict.reason.empty()) about["reason"] = verdict.reason;
    gate.about_json = to_text(about);
    gate.digest = sha256(canonical_text(arguments));
    gate.path = {std::string(agent_id)};
    gate.allow = applied.rule->allow;
    gate.timeout = applied.rule->timeout;
    gate.on_timeout = applied.rule->on_timeout;
    if (!verdict.gates)
        gate.decided_json =
            to_text(JsonObject{{"answer", "approve"}, {"decidedBy", "system:rule"}});
    return gate;
}

Result<Permission> permission(run::Run& run, std::string_view tool_id, const ToolDefinition& tool,
                              const Json& arguments, const CatalogueEntry& entry,
                              agent::World& world) {
    FOXWEDGE_TRY(applied, agent::resolve(agent::stated_by_catalogue(entry), std::nullopt));
    if (!applied.rule) return Permission{arguments, std::nullopt};
    FOXWEDGE_TRY(rule, agent::CompiledApproval::compile(*applied.rule, world.rules));
    const auto verdict = rule.ask({tool_id, arguments, 1});
    FOXWEDGE_TRY(gate, gate_of(tool_id, tool, arguments, applied, verdict));
    FOXWEDGE_TRY(decided, run.ask(gate));
    const auto decision = agent::gate_decision_from_json(to_text(decided));
    switch (decision.answer) {
    case GateDecision::Answer::approve:
        return Permission{arguments, std::nullopt};
    case GateDecision::Answer::edit:
        return Permission{decision.payload, std::nullopt};
    case GateDecision::Answer::respond: {
        auto given = tool_result_from_json(decision.payload);
        return Permission{arguments, given ? *given : text_result(to_text(decision.payload))};
    }
    case GateDecision::Answer::reject:
        break;
    }
    return Permission{arguments,
                      error_result("denied", "Not approved" + (decision.reason.empty()
                                                                   ? std::string(".")
                                                                   : ": " + decision.reason))};
}

run::StepOptions tool_options(std::string_view tool_id, const ToolDefinition& tool,
                              const Json& arguments, const agent::World& world) {
    run::StepOptions options;
    options.kind = "tool";
    options.inputs = JsonObject{{"tool", tool_id}, {"arguments", arguments}};
    options.retry = world.retry;
    options.container = true;
    options.timeout = tool.timeout;
    const auto effect =
        tool.effect == ToolEffect::unstated ? effect_of(tool.annotations) : tool.effect;
    if (effect == ToolEffect::once) {
        options.repeat = Repeat::once;
        options.on_interrupted = run::OnInterrupted::ask;
        options.about_json =
            to_text(JsonObject{{"tool", tool_id}, {"callId", "call"}, {"arguments", arguments}});
    }
    return options;
}

Result<ToolResult> run_tool(run::Run& run, std::string_view tool_id, const ToolDefinition& tool,
                            const Json& arguments, agent::World& world) {
    FOXWEDGE_TRY(step,
                 run.step("call:tool", tool_options(tool_id, tool, arguments, world),
                          [&](run::StepCall& call) -> Result<run::StepValue> {
                              FOXWEDGE_TRY(source, world.capability(agent::component_of(tool_id)));
                              agent::ContractCall contract(run, call, "call:tool", agent_id, world,
                                                           agent::ContractCall::Access::writes);
                              auto result =
                                  source->run(tool.name, to_text(arguments), contract.call());
                              if (!result) return std::move(result).error();
                              run::StepValue value;
                              value.value_json = to_text(to_json(*result));
                              value.tool_error = result->is_error;
                              // What an error result wrote is dropped with it: a failed call
                              // changes nothing.
                              if (!result->is_error) value.effects = contract.take_effects();
                              return value;
                          }));
    FOXWEDGE_TRY(record, parse_json(step.value_json));
    return tool_result_from_json(record);
}

} // namespace

Result<ToolResult> run_capability_action(run::Run& run, std::string_view tool_id,
                                         const Json& arguments, agent::World& world) {
    const auto* entry = world.catalogue(tool_id);
    if (!entry)
        return permanent("unregistered_tool",
                         "the tool \"" + std::string(tool_id) +
                             "\" is not in the catalogue; declare it under `tools` in the config");
    if (!entry->enabled) return error_result("denied", "The tool is disabled in this project.");
    if (!arguments.is_object())
        return error_result("input_validation", "The arguments must be a JSON object.");
    FOXWEDGE_TRY(tool, describe(run, tool_id, world));
    agent::SchemaCache schemas;
    const auto fit = [&](const Json& value) -> std::optional<ToolResult> {
        const auto verdict = schemas.check("in", tool.input_schema, value);
        if (verdict.ok()) return std::nullopt;
        return error_result("input_validation", verdict.usable
                                                    ? agent::violations_text(verdict.violations)
                                                    : verdict.problem);
    };
    if (auto refused = fit(arguments)) return *refused;
    FOXWEDGE_TRY(allowed, permission(run, tool_id, tool, arguments, *entry, world));
    if (allowed.instead) return *allowed.instead;
    if (auto refused = fit(allowed.arguments)) return *refused;
    return run_tool(run, tool_id, tool, allowed.arguments, world);
}

} // namespace foxwedge::capability
