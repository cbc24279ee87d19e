#include "agent/calls/discovery.hpp"

#include <algorithm>

#include "agent/names.hpp"
#include "agent/step_call.hpp"
#include "base/digest.hpp"

namespace foxwedge::agent {
namespace {

Json answer_to_json(const McpApproval::Answer& answer) {
    if (const bool* flag = std::get_if<bool>(&answer)) return *flag;
    return to_json(std::get<ApprovalRule>(answer));
}

Json optional_answer(const std::optional<McpApproval::Answer>& answer) {
    return answer ? answer_to_json(*answer) : Json();
}

/// An answer of the predicate as recorded: its value, or {"failed": why}.
Json asked(const CompiledRule& predicate, const ToolDefinition& tool) {
    JsonObject members{{"name", tool.name}, {"title", tool.title}};
    members["description"] = tool.description;
    members["annotations"] = to_json(tool.annotations);
    const Json subject(std::move(members));
    const Json* const values[] = {&subject};
    auto answer = predicate.evaluate(values);
    if (!answer) return JsonObject{{"failed", answer.error().message}};
    return *std::move(answer);
}

Json approval_of(const ToolDefinition& tool, const McpApproval& approval,
                 const CompiledRule* predicate, const std::string& predicate_error) {
    if (predicate) return asked(*predicate, tool);
    if (!predicate_error.empty()) return JsonObject{{"failed", predicate_error}};
    if (approval.all) return answer_to_json(*approval.all);
    if (auto found = approval.by_tool.find(tool.name); found != approval.by_tool.end())
        return optional_answer(found->second);
    if (auto rest = approval.by_tool.find("*"); rest != approval.by_tool.end())
        return optional_answer(rest->second);
    return nullptr;
}

bool allows(const std::optional<std::vector<std::string>>& allowed, const std::string& name) {
    return !allowed || std::find(allowed->begin(), allowed->end(), name) != allowed->end();
}

} // namespace

Json discovery_record(const ToolList& list, const std::optional<std::vector<std::string>>& allowed,
                      const McpApproval& approval, RuleLanguage* language) {
    Json record = to_json(list);
    std::shared_ptr<const CompiledRule> predicate;
    std::string predicate_error;
    if (!approval.predicate.empty()) {
        auto compiled = language ? language->compile(approval.predicate, {"tool"})
                                 : permanent("invalid_rule", "this host evaluates no predicates");
        if (compiled)
            predicate = *std::move(compiled);
        else
            predicate_error = compiled.error().message;
    }
    JsonObject answers;
    JsonArray offered;
    for (const ToolDefinition& tool : list.tools) {
        if (!allows(allowed, tool.name)) continue;
        offered.push_back(Json(tool.name));
        answers[tool.name] = approval_of(tool, approval, predicate.get(), predicate_error);
    }
    JsonObject& out = record.get_object();
    out["allowed"] = std::move(offered);
    out["approval"] = std::move(answers);
    out["digest"] = to_hex(sha256(canonical_text(out["tools"])));
    return record;
}

Result<Discovered> discovered_from_json(std::string_view server, const Json& record) {
    Discovered out;
    out.server = server;
    if (auto why = string_member(record, "unavailable")) {
        out.unavailable = *why;
        return out;
    }
    FOXWEDGE_TRY(list, tool_list_from_json(record));
    const JsonArray* allowed = array_member(record, "allowed");
    const JsonObject* answers = object_member(record, "approval");
    for (ToolDefinition& tool : list.tools) {
        const bool offered =
            !allowed || std::any_of(allowed->begin(), allowed->end(), [&](const Json& name) {
                return name.is_string() && view(name.get_string()) == tool.name;
            });
        if (!offered) continue;
        const Json* answer = answers ? answers->if_contains(tool.name) : nullptr;
        out.tools.push_back({std::move(tool), stated_by_predicate(answer ? *answer : Json())});
    }
    out.dropped = std::move(list.dropped);
    out.warnings = std::move(list.warnings);
    out.sections = std::move(list.sections);
    return out;
}

Result<Discovered> discover(run::Run& run, std::string_view id, const McpServerUse& use,
                            const RetryPolicy& retry, World& world) {
    const McpServerOptions* entry = world.mcp_options ? world.mcp_options(use.name) : nullptr;
    const auto allowed = use.tools ? use.tools : entry ? entry->tools : std::nullopt;
    const McpApproval approval = use.requires_approval ? *use.requires_approval
                                 : entry               ? entry->requires_approval
                                                       : McpApproval();
    const bool optional = use.optional.value_or(entry && entry->optional);

    run::StepOptions options;
    options.kind = "discovery";
    options.inputs = JsonObject{{"server", use.name}};
    options.retry = retry;
    FOXWEDGE_TRY(
        value,
        run.step(
            discovery_step(id, use.name), options,
            [&](run::StepCall& step) -> Result<run::StepValue> {
                ContractCall call(run, step, discovery_step(id, use.name), id, world);
                auto list = [&]() -> Result<ToolList> {
                    FOXWEDGE_TRY(server, world.mcp_server(use.name));
                    return server->list(call.call());
                }();
                if (list)
                    return run::StepValue{
                        to_text(discovery_record(*list, allowed, approval, world.rules))};
                if (!optional) return std::move(list).error();
                return run::StepValue{to_text(JsonObject{{"unavailable", list.error().message}})};
            }));
    FOXWEDGE_TRY(record, parse_json(value.value_json));
    return discovered_from_json(use.name, record);
}

} // namespace foxwedge::agent
