#include "capability/action.hpp"

#include "agent/calls/tool_ids.hpp"
#include "agent/step_call.hpp"
#include "capability/approval_gate.hpp"
#include "contracts/resource_card.hpp"

namespace foxwedge::capability {
namespace {

constexpr std::string_view agent_id = "call";

/// The tool as its component describes it; or why it is not there now.
struct Described {
    std::shared_ptr<const ToolDefinition> tool;
    std::string unavailable;
};

Result<run::StepValue> look_up(run::Run& run, run::StepCall& step, std::string_view tool_id,
                               agent::World& world, const ToldTool* told) {
    const auto component = agent::component_of(tool_id);
    if (const auto why = world.unavailable ? world.unavailable(component) : ""; !why.empty())
        return run::StepValue{to_text(JsonObject{{"unavailable", why}}), false, {}, {}};
    if (told) return run::StepValue{told->recorded, false, {}, {}};
    FOXWEDGE_TRY(source, world.capability(component));
    agent::ContractCall contract(run, step, "call:tools", agent_id, world);
    FOXWEDGE_TRY(list, source->list(contract.call()));
    for (const auto& tool : list.tools)
        if (agent::capability_tool_id(component, tool.name) == tool_id)
            return run::StepValue{to_text(to_json(tool)), false, {}, {}};
    return permanent("unknown_tool", "the component \"" + std::string(component) +
                                         "\" has no tool \"" + std::string(tool_id) + "\"");
}

/// Recorded once, so that a replay sees what was there.
Result<Described> describe(run::Run& run, std::string_view tool_id, agent::World& world,
                           const ToldTool* told) {
    run::StepOptions options;
    options.kind = "discovery";
    options.inputs = JsonObject{{"tool", tool_id}};
    FOXWEDGE_TRY(step, run.step("call:tools", options, [&](run::StepCall& call) {
        return look_up(run, call, tool_id, world, told);
    }));
    if (told && step.value_json == told->recorded) return Described{told->tool, {}};
    FOXWEDGE_TRY(record, parse_json(step.value_json));
    if (const auto why = string_member(record, "unavailable"))
        return Described{nullptr, std::string(*why)};
    FOXWEDGE_TRY(tool, tool_definition_from_json(record));
    return Described{std::make_shared<const ToolDefinition>(std::move(tool)), {}};
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

/// A summary that is none is dropped; that it was stands in the details.
void note_misfit_card(ToolResult& result) {
    if (auto dropped = drop_misfit_card(result); !dropped.empty())
        result.details.get_object()["warnings"] = JsonArray{Json(dropped)};
}

Result<ToolResult> run_tool(run::Run& run, std::string_view tool_id, const ToolDefinition& tool,
                            const Json& arguments, agent::World& world) {
    FOXWEDGE_TRY(step,
                 run.step("call:tool", tool_options(tool_id, tool, arguments, world),
                          [&](run::StepCall& call) -> Result<run::StepValue> {
                              FOXWEDGE_TRY(source, world.capability(agent::component_of(tool_id)));
                              agent::ContractCall contract(run, call, "call:tool", agent_id, world,
                                                           agent::ContractCall::Access::writes);
                              contract.offer_children({});
                              auto result =
                                  source->run(tool.name, to_text(arguments), contract.call());
                              if (!result) return std::move(result).error();
                              note_misfit_card(*result);
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

/// The limit that a keyword of a schema sets, if it sets one.
const Json* limit_at(const Json& schema, std::string_view keyword_pointer) {
    const auto keyword = keyword_pointer.substr(keyword_pointer.rfind('/') + 1);
    if (!keyword.starts_with("max") && !keyword.starts_with("min")) return nullptr;
    const auto* limit = at_pointer(schema, keyword_pointer);
    return limit && limit->is_number() ? limit : nullptr;
}

/// Place and limit of the first violation stand in the details, as the tools themselves say them.
ToolResult misfit(const agent::SchemaVerdict& verdict, const Json& schema) {
    auto result =
        error_result("input_validation",
                     verdict.usable ? agent::violations_text(verdict.violations) : verdict.problem);
    if (verdict.violations.empty()) return result;
    const auto& first = verdict.violations.front();
    auto& details = result.details.get_object();
    if (const auto at = string_member(first, "instancePointer")) details["pointer"] = *at;
    if (const auto* limit = limit_at(schema, string_member(first, "schemaPointer").value_or("")))
        details["limit"] = *limit;
    return result;
}

} // namespace

ToldTool::ToldTool(std::string tool_id, ToolDefinition definition)
    : id(std::move(tool_id)), tool(std::make_shared<const ToolDefinition>(std::move(definition))),
      recorded(to_text(to_json(*tool))) {}

Result<ToolResult> run_capability_action(run::Run& run, std::string_view tool_id,
                                         const Json& arguments, agent::World& world,
                                         ToldTool* told) {
    const auto* entry = world.catalogue ? world.catalogue(tool_id) : nullptr;
    if (!entry) return unregistered(tool_id);
    if (!entry->enabled) return disabled();
    if (!arguments.is_object())
        return error_result("input_validation", "The arguments must be a JSON object.");
    FOXWEDGE_TRY(described, describe(run, tool_id, world, told));
    if (!described.unavailable.empty()) return error_result("unavailable", described.unavailable);
    const auto& tool = *described.tool;
    agent::SchemaCache own;
    auto& schemas = told && described.tool == told->tool ? told->schemas : own;
    const auto fit = [&](const Json& value) -> std::optional<ToolResult> {
        const auto verdict = schemas.check("in", tool.input_schema, value);
        if (verdict.ok()) return std::nullopt;
        return misfit(verdict, tool.input_schema);
    };
    if (auto refused = fit(arguments)) return *refused;
    const ToolApprovalGate gate(world);
    FOXWEDGE_TRY(allowed, gate.resume({tool_id, arguments}, run, agent_id, &tool));
    if (allowed.instead) return *allowed.instead;
    if (auto refused = fit(allowed.arguments)) return *refused;
    return run_tool(run, tool_id, tool, allowed.arguments, world);
}

} // namespace foxwedge::capability
