// A HostConfig wired into a running host: the one place where all layers meet.
//
//     auto host = compose::Host::make(std::move(*loaded.config), {});
//     (*host)->define_workflow({.name = "triage", .handler = …}); // beside the config's own
//     auto run = (*host)->start({.name = "support", .input_json = "…"});
//     auto end = (*host)->execute(run->run, {});
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/world.hpp"
#include "base/log.hpp"
#include "capability/action.hpp"
#include "compose/rehearsal.hpp"
#include "compose/stream.hpp"
#include "config/host_config.hpp"
#include "journal/engine.hpp"
#include "mcp/client.hpp"
#include "plugin/registry.hpp"
#include "run/run.hpp"

namespace foxwedge::compose {

struct HostOptions {
    std::shared_ptr<journal::Engine> engine; ///< already open; else the config's journal is opened
    std::string journal_path;                ///< where `engine` lies, if given
    Log* log = nullptr;                      ///< default: silent
    std::function<void(const agent::StepEvent&)> step_events; ///< text as it comes, progress
    mcp::Tap wire; ///< what goes to MCP servers and comes from them, secrets masked
    /// For a host that stays up: its plugin folders are watched, and this is told the ids of the
    /// plugins whose file came, went or changed, on a thread of its own. New uses get the new
    /// file; runs under way keep what they have. Empty: the folders are looked at once.
    std::function<void(const std::vector<std::string>& ids)> plugins_changed;
};

/// A workflow written in C++.
struct WorkflowDefinition {
    std::string name;      ///< no agent's or workflow's of the config; letters, digits, '_', '-'
    Json tools = nullptr;  ///< agent::tool_manifest(…), listed before any run: advice, no more
    run::Workflow handler; ///< called anew each time a run of it goes on
};

struct StartRequest {
    std::string name;       ///< agent or workflow
    std::string input_json; ///< "" for none
    std::optional<std::string> prompt;
    std::string key, conversation, user;
};

struct ForkRequest {
    std::string run, at;               ///< at: name of the step that is done anew
    std::optional<std::string> output; ///< JSON that takes the place of that step's outcome
};

struct ExecuteRequest {
    journal::OpenOptions open;
    run::EventSink events;
    bool stay_for_decisions = false; ///< a person sits at the terminal
    /// Of a call: the tool as the caller was told of it.
    std::shared_ptr<capability::ToldTool> told;
};

/// Nothing is loaded, started or connected before something uses it. Any thread; outlives its runs.
class Host {
public:
    static Result<std::unique_ptr<Host>> make(config::HostConfig, HostOptions);
    ~Host();
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    const config::HostConfig& config() const;
    journal::Engine& engine();
    plugin::Registry& plugins();
    agent::World& world();
    /// The value of a secret, as the config says or the environment has it.
    Result<std::string> secret(const std::string& name);
    /// What an MCP peer may cost, as the config says.
    mcp::Limits mcp_limits() const;
    /// The client of an entry in `mcpServers`; null where there is none, or it is disabled.
    std::shared_ptr<mcp::Client> mcp_client(std::string_view name);

    /// Before its first run, in every process that may execute one. `invalid_workflow`: the name is
    /// taken or cannot be one, or there is no handler.
    Status define_workflow(WorkflowDefinition);

    /// Agents and workflows that `run` can start, in order.
    std::vector<std::string> names() const;
    /// The name meant by `wanted`: itself, or the only one there is if empty. `unknown_name`.
    Result<std::string> resolve_name(std::string_view wanted) const;

    /// Records a run with the configuration as it is now. Durable when it returns.
    Result<journal::Engine::Started> start(const StartRequest&);
    /// The same for one that is executed here and now, by execute_begun(): the call of one tool,
    /// whose caller waits. It and what it does become durable together, in one commit where that
    /// is safe; until then a death leaves no trace of it.
    Result<journal::Engine::Begun> begin(const StartRequest&);
    /// Records a run that begins with all that another one has on record before a step, under this
    /// host's configuration from there on. Errors: run::fork_of's, `invalid_output`.
    Result<std::string> fork(const ForkRequest&);
    /// Puts this host's configuration in force for what is still to come of a run and its children,
    /// and gives the JSON pointers to what differs from the one before; none: nothing is recorded.
    /// `config_change` where a difference needs a fork; else the errors of Engine::open. `reopen`:
    /// the run had failed, or succeeded, stopped by a budget or a cap.
    Result<std::vector<std::string>> change_configuration(std::string_view run, bool reopen);
    /// Whether execute() would go on with a run that has not ended for good: plugins load and are
    /// the builds that `strictPlugins` asks for, the workflow is known. Changes nothing.
    Status can_execute(std::string_view run);
    /// Executes a run and its children here until it ends, or only decisions or timers are left.
    Result<run::Finished> execute(std::string_view run, const ExecuteRequest&);
    /// What `begin` gave; `held` is used up.
    Result<run::Finished> execute_begun(journal::Engine::Begun, const ExecuteRequest&);

    /// Follows a run as it happens, from `after` on (the position of the last settled event seen):
    /// what this process executes with its text, what others do as it becomes durable. Clients may
    /// come and go at any time.
    Follower follow(std::string_view run, std::uint64_t after = 0);

    /// Repeats a conversation of this journal under this host's configuration: its models are
    /// asked, no tool runs, nothing is written.
    Result<Rehearsal> rehearse(std::string_view run, const run::EventSink& = {});

    /// Calls of plugins that did not return and were left behind: with any, end the process by
    /// _exit once the host is gone, because their code still runs.
    int abandoned_calls() const;

    /// What the agents can call, from the very options that they get, and the catalogue with its
    /// plugins' descriptions: contacts nothing.
    Json manifest();

private:
    /// name → tools, of those that were defined in C++
    JsonObject defined_tools() const;

    struct Parts;
    explicit Host(std::unique_ptr<Parts>);
    std::unique_ptr<Parts> parts_;
};

/// Repeats a run from the journal alone: no plugin is loaded, nothing is started or connected.
Result<run::Finished> replay(journal::Engine&, std::string_view run, const run::EventSink& = {});

} // namespace foxwedge::compose
