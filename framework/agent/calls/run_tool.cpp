#include "agent/calls/run_tool.hpp"

#include "agent/calls/workflow_call.hpp"
#include "agent/step_call.hpp"

namespace foxwedge::agent {
namespace {

ToolEffect effect_in_force(const Session& session, const FrozenTool& tool) {
    const ToolOptions* own = session.settings(tool.id);
    if (own && own->effect != ToolEffect::unstated) return own->effect;
    if (tool.definition.effect != ToolEffect::unstated) return tool.definition.effect;
    return effect_of(tool.definition.annotations);
}

run::StepOptions step_options(const Session& session, const PlannedCall& call) {
    run::StepOptions options;
    options.kind = "tool";
    options.inputs_digest = sha256(call.name + '\0', canonical_text(call.arguments));
    options.path = session.path;
    if (call.refusal) return options;
    options.retry = session.retry_for(call.name);
    options.container = true;

    const ToolOptions* own = session.settings(call.name);
    options.timeout = own && own->timeout ? own->timeout : call.tool->definition.timeout;
    const bool once = effect_in_force(session, *call.tool) == ToolEffect::once;
    const std::string stated = own ? own->on_interrupted : std::string();
    if (stated == "ask" || (stated.empty() && once))
        options.on_interrupted = run::OnInterrupted::ask;
    if (stated == "fail") options.on_interrupted = run::OnInterrupted::fail;
    // `retry` lifts only the doubt; an answer that says no is still an answer.
    if (once) options.repeat = stated == "retry" ? Repeat::unless_answered : Repeat::once;
    if (options.on_interrupted != run::OnInterrupted::retry) {
        JsonObject about{
            {"tool", catalogue_id(*call.tool)}, {"callId", call.step_id}, {"agent", session.id}};
        about["arguments"] = call.arguments;
        options.about_json = to_text(about);
    }
    return options;
}

Result<ToolResult> answer_of(Session& session, const PlannedCall& call, run::StepCall& step,
                             Call& contract, Spent& of_children) {
    const FrozenTool& tool = *call.tool;
    if (session.world.rehearsed) return session.world.rehearsed(tool.id, call.arguments);
    switch (tool.origin) {
    case Origin::own: {
        const Tool* own = session.own_tool(tool.id);
        if (!own || !own->handler)
            return permanent("unknown_tool", "The tool \"" + tool.id + "\" is gone.");
        ToolCall handed{call.arguments.get_object(), contract, step};
        return own->handler(handed);
    }
    case Origin::workflow:
        return workflow_result(session, call, step, contract, of_children);
    case Origin::capability: {
        FOXWEDGE_TRY(source, session.world.capability(tool.source));
        return source->run(tool.definition.name, to_text(call.arguments), contract);
    }
    case Origin::mcp: {
        FOXWEDGE_TRY(server, session.world.mcp_server(tool.source));
        return server->run(tool.definition.name, to_text(call.arguments), contract);
    }
    }
    return permanent("internal", "a tool of no origin");
}

/// Who asks, where an MCP server or an app needs something in the middle of a call.
RunQuestions::Asker asker_of(const Session& session, const PlannedCall& call) {
    RunQuestions::Asker asker;
    asker.path = session.path;
    asker.retry = session.retry();
    asker.ledger = &session.ledger;
    asker.about = JsonObject{{"tool", call.name}, {"callId", call.step_id}, {"agent", session.id}};
    const ToolOptions* own = session.settings(call.name);
    if (own && !own->app.empty()) {
        asker.about["app"] = own->app;
        return asker;
    }
    asker.about["server"] = call.tool->source;
    const McpServerOptions* entry =
        session.world.mcp_options ? session.world.mcp_options(call.tool->source) : nullptr;
    if (entry) asker.provider = entry->sampling;
    return asker;
}

bool returns_errors(const Session& session, const FrozenTool& tool) {
    if (tool.origin != Origin::mcp) return false;
    for (const McpServerUse& use : session.options.mcp_servers)
        if (use.name == tool.source && use.on_tool_error) return *use.on_tool_error == "return";
    const McpServerOptions* entry =
        session.world.mcp_options ? session.world.mcp_options(tool.source) : nullptr;
    return entry && entry->on_tool_error == "return";
}

/// A promise about structured content: broken by our own tools it fails the step, by a server it is
/// noted.
Status check_output(Session& session, const PlannedCall& call, CallRecord& record) {
    const Json& schema = call.tool->definition.output_schema;
    if (schema.is_null() || record.tool_error || !record.result) return {};
    std::string problem;
    if (!record.result->structured) {
        problem = "it gave no structured content";
    } else {
        const SchemaVerdict verdict =
            session.schemas.check(call.name + "\nout", schema, *record.result->structured);
        if (verdict.ok()) return {};
        problem = verdict.usable ? violations_text(verdict.violations) : verdict.problem;
    }
    const std::string text =
        "the result of \"" + call.name + "\" breaks its outputSchema: " + problem;
    if (call.tool->origin != Origin::mcp) return permanent("invalid_result", text);
    record.warnings.push_back(text);
    return {};
}

/// True if the approval that let this call run is still this call's to use: somebody may have done
/// by tool id what it names, while this run was away.
Result<bool> may_use_approval(const Session& session, const PlannedCall& call) {
    if (call.approved_by.empty() || !session.world.approvals) return true;
    return session.world.approvals->claim(session.scope.project, session.scope.run,
                                          call.approved_by,
                                          session.scope.run + "/" + call.step_name);
}

Result<CallRecord> body(Session& session, const PlannedCall& call, run::Run& lane,
                        run::StepCall& step, run::StepValue& value) {
    FOXWEDGE_TRY(mine, may_use_approval(session, call));
    if (!mine)
        return refusal("conflict", "Not done: this approved call was already run by its tool id.");
    FOXWEDGE_CHECK(session.ledger.admit(Ledger::Kind::tool, step.key()));
    // Who waits for a child does not count what that counts for itself.
    const ToolOptions* own = session.settings(call.name);
    const bool child = call.tool->origin == Origin::workflow && own && own->app.empty();
    Ledger::UnderWay under_way(session.ledger, !child);
    ContractCall contract(lane, step, call.step_name, session.id, session.world,
                          ContractCall::Access::writes);
    contract.offer_children(
        {session.id, session.path, session.options.budget.has_value(), true, false, &under_way});
    const bool outside =
        call.tool->origin == Origin::mcp || (call.tool->origin == Origin::workflow && !child);
    if (outside) contract.may_ask(asker_of(session, call));
    Spent of_children;
    auto answer = answer_of(session, call, step, contract.call(), of_children);
    // Parking commits what the call has written so far; the same call comes again.
    if (!answer && answer.error().code == parked_code)
        FOXWEDGE_CHECK(step.save_checkpoint(step.checkpoint(), contract.take_effects()));
    FOXWEDGE_TRY(record,
                 ending(std::move(answer), call.tool->origin, returns_errors(session, *call.tool)));
    FOXWEDGE_CHECK(contract.close_questions());
    record.sampled = contract.spent_by_questions();
    FOXWEDGE_CHECK(check_output(session, call, record));
    if (record.result && !record.tool_error) {
        FOXWEDGE_TRY(model, projected(session, call, *record.result));
        if (model) record.model = *std::move(model);
    }
    if (call.changed) record.arguments = call.arguments;
    // A call that was refused, or answered what a model has to put right, wrote nothing.
    if (record.refused.empty()) value.effects = contract.take_effects();
    for (auto& effect : contract.take_records()) value.effects.push_back(std::move(effect));
    Spent spent;
    spent.tool_calls = 1;
    for (auto& effect : session.ledger.effects(spent)) value.effects.push_back(std::move(effect));
    of_children += contract.spent_by_children();
    if (!(of_children.usage == Usage())) value.usage_json = to_text(to_json(of_children));
    return record;
}

} // namespace

Result<std::optional<std::vector<Block>>> projected(const Session& session, const PlannedCall& call,
                                                    const ToolResult& result) {
    const Tool* tool = session.own_tool(call.name);
    const CompiledRule* rule = session.projection(call.name);
    const bool by_function = tool && tool->to_model_output;
    if (!by_function && !rule) return std::optional<std::vector<Block>>();
    const Json output = result.structured ? *result.structured : Json(text_of(blocks_of(result)));
    const Json* const values[] = {&output};
    const auto shown = by_function ? tool->to_model_output(output) : rule->evaluate(values);
    // The whole result is never shown in the place of a projection that failed.
    if (!shown)
        return permanent("projection_failed",
                         "toModelOutput of \"" + call.name + "\" failed: " + shown.error().message);
    std::vector<Block> blocks;
    blocks.push_back(
        text_block(shown->is_string() ? std::string(view(shown->get_string())) : to_text(*shown)));
    return std::optional(std::move(blocks));
}

Result<ToolStep> tool_step(Session& session, run::Run& lane, const PlannedCall& call,
                           const std::optional<Json>& given) {
    const auto run_it = [&](run::StepCall& step) -> Result<run::StepValue> {
        run::StepValue value;
        CallRecord record;
        if (call.refusal) {
            record = *call.refusal;
        } else if (given) {
            record.result = result_of(*given);
            record.refused = "responded";
        } else {
            FOXWEDGE_TRY(ran, body(session, call, lane, step, value));
            record = std::move(ran);
        }
        value.value_json = to_text(to_json(record));
        value.tool_error = record.tool_error;
        return value;
    };
    FOXWEDGE_TRY(value, lane.step(call.step_name, step_options(session, call), run_it));
    FOXWEDGE_TRY(json, parse_json(value.value_json));
    ToolStep out{call_record_from_json(json, value.tool_error), std::move(value.value_json), {}};
    if (const auto usage = parse_json(value.usage_json)) out.spent = spent_from_json(*usage);
    out.spent += out.record.sampled;
    return out;
}

} // namespace foxwedge::agent
