#include "compose/workflows.hpp"

#include "agent/agent.hpp"
#include "agent/prompt.hpp"
#include "capability/action.hpp"

namespace foxwedge::compose {
namespace {

/// The options with the run's input filled in; a prompt given at the start is never expanded.
Result<AgentOptions> filled_options(const AgentOptions& options, const journal::RunHead& head) {
    auto filled = options;
    FOXWEDGE_TRY(input, parse_json(head.input_json.empty() ? "null" : head.input_json));
    const auto labels = parse_json(head.labels_json);
    const auto* prompt = labels ? member(*labels, "prompt") : nullptr;
    if (prompt) filled.prompt = nullptr;
    FOXWEDGE_CHECK(agent::fill_input(filled, input));
    if (prompt) filled.prompt = *prompt;
    return filled;
}

run::Workflow agent_workflow(const AgentOptions& options, std::string id, agent::World& world) {
    return [&options, id = std::move(id), &world](run::Run& run) -> Result<Json> {
        agent::Agent agent;
        FOXWEDGE_TRY(filled, filled_options(options, run.head()));
        agent.options = std::move(filled);
        FOXWEDGE_TRY(result, agent::agent(run, id, agent, world));
        return agent::to_json(result);
    };
}

run::Workflow call_workflow(std::string tool_id, agent::World& world) {
    return [tool_id = std::move(tool_id), &world](run::Run& run) -> Result<Json> {
        FOXWEDGE_TRY(arguments, parse_json(run.head().input_json));
        FOXWEDGE_TRY(result, capability::run_capability_action(run, tool_id, arguments, world));
        return to_json(result);
    };
}

} // namespace

Result<run::Workflow> workflow_of(const config::HostConfig& config, std::string_view name,
                                  agent::World& world) {
    if (name.substr(0, call_prefix.size()) == call_prefix)
        return call_workflow(std::string(name.substr(call_prefix.size())), world);
    if (const auto agent = config.agents.find(std::string(name)); agent != config.agents.end())
        return agent_workflow(agent->second, agent->first, world);
    const auto workflow = config.workflows.find(std::string(name));
    if (workflow != config.workflows.end() && workflow->second.script.empty()) {
        const auto& agent = config.agents.at(workflow->second.agent);
        return agent_workflow(agent, workflow->second.agent, world);
    }
    return permanent("unknown_name",
                     "the configuration has no agent or workflow \"" + std::string(name) + "\"");
}

} // namespace foxwedge::compose
