#include "agent/guard/definitions.hpp"

#include <algorithm>

#include "agent/calls/tool_ids.hpp"
#include "agent/guard/guards.hpp"
#include "agent/names.hpp"

namespace foxwedge::agent {
namespace {

/// Whether a guardrail stands at this placement. What it does not say itself is told by the record,
/// or by the guardrail where there is none.
Result<bool> stands_here(run::Run& run, const GuardrailUse& use, const std::string& name,
                         World& world) {
    if (use.placements)
        return std::find(use.placements->begin(), use.placements->end(),
                         to_string(Placement::tool_definition)) != use.placements->end();
    if (!run.next_step().empty()) return run.next_step() == name;
    if (!world.guardrail) return permanent("unknown_guardrail", use.use);
    FOXWEDGE_TRY(guardrail, world.guardrail(use));
    return (guardrail->placements() & static_cast<std::uint32_t>(Placement::tool_definition)) != 0;
}

Json subject_of(const std::string& server, const ToolDefinition& tool) {
    JsonObject members{{"name", tool.name}, {"title", tool.title}};
    members["description"] = tool.description;
    members["inputSchema"] = tool.input_schema;
    members["annotations"] = to_json(tool.annotations);
    JsonObject subject{{"server", server}};
    subject["tool"] = std::move(members);
    return subject;
}

/// Title, description and schema; the name stays the server's.
void take_over(ToolDefinition& tool, const Json& replaced) {
    if (auto title = string_member(replaced, "title")) tool.title = *title;
    if (auto text = string_member(replaced, "description")) tool.description = *text;
    if (const Json* schema = member(replaced, "inputSchema"); schema && schema->is_object())
        tool.input_schema = *schema;
}

} // namespace

Status guard_definitions(run::Run& run, std::string_view id, const std::vector<GuardrailUse>& uses,
                         Discovered& server, World& world) {
    if (uses.empty()) return {};
    const Guards guards(uses, {});
    std::vector<Discovered::One> kept;
    for (Discovered::One& one : server.tools) {
        const std::string tool_id = mcp_tool_id(server.server, one.definition.name, {});
        Json subject = subject_of(server.server, one.definition);
        Guarded so_far;
        for (std::size_t k = 0; k < uses.size() && so_far.outcome == Guarded::Outcome::pass; ++k) {
            const std::string name = definition_guardrail_step(id, guards.label(k), tool_id);
            FOXWEDGE_TRY(here, stands_here(run, uses[k], name, world));
            if (!here) continue;
            FOXWEDGE_TRY(asked,
                         guards.ask(run, id, k, Placement::tool_definition, subject, name, world));
            fold(so_far, Placement::tool_definition, guards.label(k), asked.verdict, subject);
        }
        if (so_far.outcome != Guarded::Outcome::pass) {
            server.dropped.push_back({one.definition.name, so_far.message});
            continue;
        }
        if (so_far.replaced) take_over(one.definition, subject.get_object()["tool"]);
        kept.push_back(std::move(one));
    }
    server.tools = std::move(kept);
    return {};
}

} // namespace foxwedge::agent
