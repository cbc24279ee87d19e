#include "agent/agent.hpp"

#include "agent/loop/agent_turn.hpp"
#include "agent/loop/sessions.hpp"
#include "agent/names.hpp"
#include "agent/prompt.hpp"

namespace foxwedge::agent {
namespace {

/// Workflow-backed tools of the options and all tools of the code.
std::vector<Tool> own_tools(run::Run& run, const Agent& agent) {
    std::vector<Tool> out = agent.tools;
    for (const ToolOptions& options : agent.options.tools)
        if (options.use.empty()) out.push_back(workflow_tool(options));
    if (agent.more_tools)
        for (Tool& tool : agent.more_tools(run)) out.push_back(std::move(tool));
    return out;
}

/// Guardrails at the input; none: the agent is stopped.
Result<std::optional<std::vector<Message>>> guarded_task(Session& session, run::Run& run,
                                                         std::vector<Message> task) {
    if (!session.guards.any(Placement::input)) return std::optional(std::move(task));
    JsonObject subject{{"agent", session.id}};
    subject["prompt"] = to_json(task);
    FOXWEDGE_TRY(guarded, session.guards.check(
                              run, session.id, Placement::input, std::move(subject),
                              [&](std::string_view label) {
                                  return input_guardrail_step(session.id, label);
                              },
                              session.world));
    if (guarded.outcome != Guarded::Outcome::pass) return std::optional<std::vector<Message>>();
    if (!guarded.replaced) return std::optional(std::move(task));
    FOXWEDGE_TRY(replaced, messages_from_json(guarded.value, "/value"));
    return std::optional(std::move(replaced));
}

} // namespace

Json to_json(const AgentResult& result) {
    JsonObject out;
    out["final"] = result.final;
    out["iterations"] = result.iterations;
    out["stopReason"] = result.stop_reason;
    out["usage"] = to_json(result.spent);
    return out;
}

Result<AgentResult> agent(run::Run& run, std::string_view id, const Agent& agent, World& world) {
    FOXWEDGE_CHECK(check_id(id));
    std::vector<Tool> own = own_tools(run, agent);
    Sessions sessions(run, std::string(id), agent, std::move(own), world);
    FOXWEDGE_TRY(task, task_of(sessions.options(), run.head().input_json));
    FOXWEDGE_TRY(session, sessions.current());
    FOXWEDGE_TRY(allowed, guarded_task(*session, run, std::move(task)));
    if (!allowed) return AgentResult{Json(), 0, "stopped", {}};

    LoopOptions options;
    options.caps = [&] {
        return LoopCaps{sessions.options().max_iterations, sessions.options().max_approvals};
    };
    options.task = *std::move(allowed);
    options.turn = [&](TurnContext& turn) { return agent_turn(sessions, turn); };
    FOXWEDGE_TRY(ended, loop(run, id, options));
    return AgentResult{std::move(ended.final), ended.iterations, std::move(ended.stop_reason),
                       ended.spent};
}

} // namespace foxwedge::agent
