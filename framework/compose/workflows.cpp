#include "compose/workflows.hpp"

#include "agent/agent.hpp"
#include "agent/calls/tool_ids.hpp"
#include "agent/prompt.hpp"
#include "agent/services/run_children.hpp"
#include "agent/services/workflow_records.hpp"
#include "base/text.hpp"
#include "capability/action.hpp"
#include "capability/approval_gate.hpp"
#include "compose/config_change.hpp"
#include "compose/plugin_builds.hpp"
#include "compose/run_world.hpp"
#include "compose/script_workflow.hpp"
#include "config/load.hpp"
#include "run/on_record.hpp"

namespace foxwedge::compose {
namespace {

/// Of a script's name in records, which must fit the store whatever a model writes.
constexpr std::size_t longest_name = 200;

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

/// The agent that a run of `name` executes under a configuration.
struct Named {
    const std::string& id;
    const AgentOptions& options;
};
Result<Named> agent_named(const config::HostConfig& config, std::string_view name) {
    const auto workflow = config.workflows.find(std::string(name));
    const bool by_agent = workflow != config.workflows.end() && workflow->second.script.empty();
    const auto agent = config.agents.find(by_agent ? workflow->second.agent : std::string(name));
    if (agent != config.agents.end()) return Named{agent->first, agent->second};
    return permanent("unknown_name",
                     "the configuration has no agent or workflow \"" + std::string(name) + "\"");
}

/// The budgets of the runs above this one, as a configuration has them.
std::vector<agent::BudgetHolder> budgets_above(const config::HostConfig& config,
                                               const journal::RunHead& head) {
    std::vector<agent::BudgetHolder> out;
    const auto labels = parse_json(head.labels_json.empty() ? "{}" : head.labels_json);
    const JsonArray* const holders = labels ? array_member(*labels, "budgets") : nullptr;
    if (!holders) return out;
    for (const Json& holder : *holders) {
        const auto run = string_member(holder, "run"), agent = string_member(holder, "agent");
        const auto found = agent ? config.agents.find(std::string(*agent)) : config.agents.end();
        if (run && found != config.agents.end() && found->second.budget)
            out.push_back({std::string(*run), *found->second.budget});
    }
    return out;
}

/// What `name` does under a configuration that came into force later, all names filled in.
Result<agent::Reconfigured> reconfigured(std::string_view name, std::string_view text,
                                         const journal::RunHead& head) {
    FOXWEDGE_TRY(record, config_record_from_json(text));
    FOXWEDGE_TRY(config, config::read_pinned(record.config, ""));
    FOXWEDGE_TRY(named, agent_named(config, name));
    agent::Reconfigured out;
    FOXWEDGE_TRY(options, filled_options(named.options, head));
    out.options = std::move(options);
    if (out.options.provider.empty()) out.options.provider = config.provider;
    const auto entry = config.providers.find(out.options.provider);
    if (out.options.model.empty() && entry != config.providers.end())
        out.options.model = entry->second.model;
    const auto traits = record.providers.find(out.options.provider);
    if (traits != record.providers.end()) out.traits = traits->second;
    out.budgets = budgets_above(config, head);
    out.tools_anew = record.forked;
    return out;
}

/// What the agent that called for a script says of its limits, or null.
Json limits_of_caller(const journal::RunHead& head, const config::HostConfig& config) {
    const auto labels = parse_json(head.labels_json.empty() ? "{}" : head.labels_json);
    const JsonArray* const path = labels ? array_member(*labels, "agentPath") : nullptr;
    if (!path || path->empty() || !path->back().is_string()) return {};
    const auto caller = config.agents.find(std::string(view(path->back().get_string())));
    if (caller == config.agents.end()) return {};
    for (const auto& tool : caller->second.tools)
        if (agent::component_of(tool.use) == script_component && !tool.limits.is_null())
            return tool.limits;
    return {};
}

/// What a run's name and input say of a script; none: it is an agent's run.
Result<std::optional<ScriptJob>> script_of(const journal::RunHead& head,
                                           const config::HostConfig& config) {
    const auto entry = config.workflows.find(head.workflow);
    const bool configured = entry != config.workflows.end() && !entry->second.script.empty();
    const bool called = head.workflow.starts_with(agent::script_prefix);
    if (!configured && !called) return std::optional<ScriptJob>();
    FOXWEDGE_TRY(input, parse_json(head.input_json.empty() ? "null" : head.input_json));
    ScriptJob job;
    if (configured) {
        job.script = entry->second.script;
        job.agent = entry->second.agent;
        job.name = entry->first;
        job.args = std::move(input);
        job.limits = entry->second.limits;
        return std::optional(std::move(job));
    }
    job.agent = head.workflow.substr(agent::script_prefix.size());
    job.limits = limits_of_caller(head, config);
    job.script = string_member(input, "script").value_or("");
    if (const Json* const args = member(input, "args")) job.args = *args;
    if (const Json* const meta = member(input, "meta"))
        job.name = first_code_points(string_member(*meta, "name").value_or(""), longest_name);
    return std::optional(std::move(job));
}

/// A run that goes on with other plugins than it was begun with has that on record.
Status note_changed_builds(run::Run& run, const agent::World& world) {
    if (!world.build) return {};
    auto changes = changed_builds(run::records_of(run), world.build);
    if (changes.empty()) return {};
    JsonObject note;
    note["changes"] = std::move(changes);
    return run::note(run, plugin_changed, to_text(note));
}

Result<Json> run_agent(run::Run& run, const config::HostConfig& pinned, agent::World& world) {
    FOXWEDGE_CHECK(note_changed_builds(run, world));
    FOXWEDGE_TRY(named, agent_named(pinned, run.head().workflow));
    agent::Agent agent;
    FOXWEDGE_TRY(filled, filled_options(named.options, run.head()));
    agent.options = std::move(filled);
    if (agent.options.provider.empty()) agent.options.provider = pinned.provider;
    agent.budgets = budgets_above(pinned, run.head());
    for (const auto text : run.configurations()) {
        FOXWEDGE_TRY(later, reconfigured(run.head().workflow, text, run.head()));
        agent.reconfigured.push_back(std::move(later));
    }
    FOXWEDGE_TRY(result, agent::agent(run, named.id, agent, world));
    return agent::to_json(result);
}

Result<Json> run_named(run::Run& run, const config::HostConfig& pinned, const agent::World& host) {
    agent::World world = world_of_run(host);
    const auto texts = run.configurations();
    FOXWEDGE_TRY(script, script_of(run.head(), pinned));
    if (!script) return run_agent(run, pinned, world);
    script->budgets = budgets_above(pinned, run.head());
    if (!texts.empty()) { // of a fork: a run under way keeps its script
        FOXWEDGE_TRY(record, config_record_from_json(texts.back()));
        FOXWEDGE_TRY(later, config::read_pinned(record.config, ""));
        FOXWEDGE_TRY(changed, script_of(run.head(), later));
        if (changed) {
            changed->budgets = budgets_above(later, run.head());
            return run_script(run, *changed, world);
        }
    }
    return run_script(run, *script, world);
}

/// What the run has pinned counts, whatever the host was composed from since.
run::Workflow agent_workflow(PinnedConfigs& configs, agent::World& world) {
    return [&configs, &world](run::Run& run) -> Result<Json> {
        FOXWEDGE_TRY(pinned, configs.read(run.head().config_json));
        return run_named(run, *pinned, world);
    };
}

run::Workflow call_workflow(std::string tool_id, const config::HostConfig& config,
                            const agent::World& host, std::shared_ptr<capability::ToldTool> told) {
    if (told && told->id != tool_id) told = nullptr;
    return [tool_id = std::move(tool_id), &config, &host,
            told = std::move(told)](run::Run& run) -> Result<Json> {
        if (!config.tools.count(tool_id)) return undeclared(config, tool_id);
        agent::World world = world_of_run(host);
        FOXWEDGE_TRY(arguments, parse_json(run.head().input_json));
        FOXWEDGE_TRY(result,
                     capability::run_capability_action(run, tool_id, arguments, world, told.get()));
        return to_json(result);
    };
}

} // namespace

Result<std::shared_ptr<const config::HostConfig>> PinnedConfigs::read(const std::string& text) {
    constexpr std::size_t most = 64;
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = known_.find(text); known != known_.end()) return known->second;
    }
    FOXWEDGE_TRY(resolved, parse_json(text));
    // Not owned: it outlives this.
    std::shared_ptr<const config::HostConfig> out(std::shared_ptr<void>(), &config_);
    if (resolved != config_.resolved) {
        FOXWEDGE_TRY(pinned, config::read_pinned(resolved, config_.file));
        out = std::make_shared<const config::HostConfig>(std::move(pinned));
    }
    const std::lock_guard lock(mutex_);
    if (known_.size() >= most) known_.clear();
    return known_.emplace(text, std::move(out)).first->second;
}

run::Workflow workflow_of(const config::HostConfig& config, PinnedConfigs& pinned,
                          std::string_view name, agent::World& world,
                          std::shared_ptr<capability::ToldTool> told) {
    if (name.substr(0, call_prefix.size()) == call_prefix)
        return call_workflow(std::string(name.substr(call_prefix.size())), config, world,
                             std::move(told));
    return agent_workflow(pinned, world);
}

bool is_brief(const config::HostConfig& config, std::string_view workflow) {
    const auto entry = config.workflows.find(std::string(workflow));
    const bool scripted = entry != config.workflows.end() && !entry->second.script.empty();
    return !scripted && !workflow.starts_with(agent::script_prefix);
}

void close_scripts(journal::Engine& engine, const std::string& root, run::Ended how, Log& log) {
    using run::Ended;
    if (how != Ended::succeeded && how != Ended::failed && how != Ended::cancelled) return;
    // Records are to be looked at only: what became of the run stands without them.
    if (const auto closed = agent::close_cancelled(engine, root); !closed)
        log.warn("workflow", "records of a cancelled script could not be closed",
                 {{"run", root}, {"why", closed.error().message}});
}

Error undeclared(const config::HostConfig& config, std::string_view tool_id) {
    std::vector<std::string> known;
    for (const auto& [id, entry] : config.tools) known.push_back(id);
    auto error = capability::unregistered(tool_id);
    if (const auto near = nearest(tool_id, known); !near.empty())
        error.message += "; did you mean \"" + std::string(near) + "\"?";
    return error;
}

Status check_known(journal::Engine& engine, const journal::RunHead& head,
                   const config::HostConfig& config) {
    const std::string& name = head.workflow;
    const auto in = [&](const config::HostConfig& one) {
        return one.workflows.count(name) > 0 || one.agents.count(name) > 0;
    };
    if (name.starts_with(call_prefix) || name.starts_with(agent::script_prefix) || in(config))
        return {};
    FOXWEDGE_TRY(records, engine.records(head.id));
    FOXWEDGE_TRY(pinned, config_in_force(head, records));
    FOXWEDGE_TRY(own, config::read_pinned(pinned, ""));
    if (in(own)) return {};
    return permanent("unknown_name", "run " + head.id + " is of the workflow \"" + name +
                                         "\", which no configuration has: go on with it in the "
                                         "program that defines it");
}

} // namespace foxwedge::compose
