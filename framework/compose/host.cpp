#include "compose/host.hpp"

#include <algorithm>
#include <mutex>

#include "agent/budget/tree_spent.hpp"
#include "agent/calls/call_ids.hpp"
#include "agent/services/workflow_records.hpp"
#include "base/text.hpp"
#include "compose/approvals.hpp"
#include "compose/apps.hpp"
#include "compose/bridge.hpp"
#include "compose/config_change.hpp"
#include "compose/fork_output.hpp"
#include "compose/journal_store.hpp"
#include "compose/masked_source.hpp"
#include "compose/plain_world.hpp"
#include "compose/plugin_builds.hpp"
#include "compose/plugins.hpp"
#include "compose/secrets.hpp"
#include "compose/tree_config.hpp"
#include "compose/workflows.hpp"
#include "config/load.hpp"
#include "http/client.hpp"
#include "journal/lmdb_engine.hpp"
#include "mcp/pool.hpp"
#include "mcp/source.hpp"
#include "plugin/folder_watch.hpp"
#include "plugin/script_box.hpp"
#include "plugin/search.hpp"
#include "run/fork.hpp"
#include "run/tree.hpp"

namespace foxwedge::compose {

using config::HostConfig;

struct Host::Parts {
    HostConfig config;
    PinnedConfigs pinned{config};
    HostOptions options;
    std::string journal_path;
    std::shared_ptr<journal::Engine> engine;
    const Bridge bridge = injected_bridge(plugin::process_environment());
    Secrets secrets;
    process::Supervisor children;
    plugin::ScriptBoxes scripts{children};
    std::unique_ptr<plugin::Registry> plugins;
    std::mutex loading;
    bool loaded = false;
    std::unique_ptr<plugin::FolderWatch> watch;
    std::unique_ptr<http::Client> web; // for MCP servers with a URL
    std::unique_ptr<mcp::ClientPool> servers;
    std::unique_ptr<agent::StoreReader> store;
    std::unique_ptr<agent::Approvals> approvals;
    std::unique_ptr<Apps> apps;
    Broadcast broadcast;
    agent::World world;
    std::map<std::string, WorkflowDefinition, std::less<>> defined;

    Parts(HostConfig c, HostOptions o)
        : config(std::move(c)), options(std::move(o)),
          secrets(bridge.secrets_with(config.secrets)) {
        if (!options.log) options.log = &silent_log();
    }

    Status open_journal() {
        journal_path = options.engine ? options.journal_path : config.journal.path;
        engine = options.engine;
        if (engine) return {};
        journal::JournalOptions wanted;
        wanted.path = journal_path;
        wanted.durability = config.journal.durability == "relaxed" ? journal::Durability::relaxed
                                                                   : journal::Durability::sync;
        wanted.map_limit = static_cast<std::size_t>(config.journal.map_limit);
        wanted.log = options.log;
        FOXWEDGE_TRY(opened, journal::open_journal(wanted));
        engine = std::move(opened);
        return {};
    }

    http::ClientOptions web_options() const {
        http::ClientOptions wanted;
        wanted.egress.allow = config.http.allow;
        wanted.egress.allow_private = config.http.allow_private;
        wanted.egress.secrets_over_http = config.http.secrets_over_http;
        wanted.transfer.proxy = config.http.proxy;
        wanted.transfer.no_proxy = config.http.no_proxy;
        wanted.transfer.ca_file = config.http.ca_file;
        return wanted;
    }

    plugin::Lent lent() {
        plugin::Lent lent;
        lent.log = options.log;
        // The bridge lies on this machine: no proxy is to see its token.
        auto web_of_plugins = web_options();
        if (bridge.problem.empty()) web_of_plugins.transfer.no_proxy.push_back("127.0.0.1");
        lent.http = http::make_client(std::move(web_of_plugins));
        lent.secrets = [this](std::string_view name) -> Result<std::optional<plugin::SecretValue>> {
            const std::string wanted(name);
            if (!secrets.defines(wanted)) return std::optional<plugin::SecretValue>();
            FOXWEDGE_TRY(value, secrets.value(wanted));
            return std::optional(plugin::SecretValue{value, secrets.origins(wanted)});
        };
        lent.environment = plugin::process_environment();
        lent.scripts = scripts.starter();
        lent.mask = [this](std::string_view text) { return secrets.masked(text); };
        return lent;
    }

    Status open_plugins() {
        auto wanted = registry_options(config);
        wanted.state_folder = journal_path;
        wanted.children = &children;
        wanted.lent = lent();
        FOXWEDGE_TRY(registry, plugin::Registry::open(std::move(wanted)));
        plugins = std::move(registry);
        const auto problems = plugin_problems(config, *plugins);
        if (problems.empty()) return watch_plugins();
        return config::invalid_config(problems);
    }

    mcp::Limits mcp_limits() const {
        mcp::Limits limits;
        limits.frame_bytes = static_cast<std::size_t>(config.limits.mcp_frame_bytes);
        limits.json_depth = static_cast<std::size_t>(config.limits.json_depth);
        limits.pages = static_cast<std::size_t>(config.limits.mcp_pages);
        limits.tools = static_cast<std::size_t>(config.limits.mcp_tools);
        limits.call_hard = config.limits.mcp_call_longest;
        limits.idle_stop = config.limits.mcp_idle;
        return limits;
    }

    void name_servers() {
        mcp::Surroundings around;
        around.children = &children;
        around.log = options.log;
        around.limits = mcp_limits();
        web = http::make_client(web_options());
        around.http = web.get();
        if (options.wire)
            around.tap = [this](bool to_server, std::string_view message) {
                options.wire(to_server, secrets.masked(message));
            };
        servers = std::make_unique<mcp::ClientPool>(around);
        for (const auto& [name, server] : config.mcp_servers)
            if (!server.disabled)
                add_server(
                    mcp::server_spec(server, config.limits.mcp_start, config.limits.mcp_call));
        for (const auto& [name, app] : config.apps)
            if (!app.url.empty()) add_server(app_spec(name, app, config.limits));
    }

    void add_server(mcp::ServerSpec spec) {
        // A child gets its secrets with its environment, a server over HTTP by its origin.
        const auto origin = http::origin_of(spec.url);
        spec.resolve = [this, to = origin ? *origin : ""](std::string_view text) {
            return secrets.filled(text, to);
        };
        if (spec.more_headers)
            spec.more_headers = [this, server = spec.name,
                                 ask = std::move(spec.more_headers)]() -> Result<HeaderFields> {
                FOXWEDGE_TRY(fields, ask());
                // A server may repeat what it was sent: without its scheme, as "Bearer", too.
                for (const auto& [name, value] : fields)
                    secrets.learn(server + "/" + name, value.substr(value.rfind(' ') + 1));
                return std::move(fields);
            };
        servers->add(std::move(spec));
    }

    Result<std::shared_ptr<ToolSource>> app(std::string_view name) {
        auto client = servers->client(app_client(name));
        if (client) return masked_source(mcp::tool_source(std::move(client)), secrets);
        FOXWEDGE_TRY(hosted, apps->find(name));
        return masked_source(std::move(hosted), secrets);
    }

    Status watch_plugins() {
        if (!options.plugins_changed) return {};
        const auto wanted = registry_options(config);
        FOXWEDGE_TRY(started,
                     plugin::FolderWatch::start({wanted.folders, wanted.lock_file}, [this] {
                         const auto changed = plugins->refresh();
                         if (!changed.empty()) options.plugins_changed(changed);
                     }));
        watch = std::move(started);
        return {};
    }

    /// What `plugins.load` names is loaded before the first run, whether or not one uses it.
    Status load_plugins() {
        std::lock_guard lock(loading);
        if (loaded) return {};
        for (const auto& use : config.plugins.load) FOXWEDGE_CHECK(plugins->load(use.id));
        loaded = true;
        return {};
    }

    /// A run of it is about to be executed: a script's process can start meanwhile.
    void expect(const std::string& workflow) {
        const auto entry = config.workflows.find(workflow);
        if (workflow.starts_with(agent::script_prefix) ||
            (entry != config.workflows.end() && !entry->second.script.empty()))
            scripts.prepare();
    }

    Result<std::shared_ptr<ToolSource>> server(std::string_view name) {
        const auto entry = config.mcp_servers.find(std::string(name));
        const bool own = entry != config.mcp_servers.end() && entry->second.scope == "run";
        auto client = own ? servers->own_client(name) : servers->client(name);
        if (!client)
            return permanent("unknown_server", "no entry \"" + std::string(name) +
                                                   "\" in mcpServers, or it is disabled");
        return masked_source(mcp::tool_source(std::move(client)), secrets);
    }

    void fill_world() {
        world = plain_world(config);
        store = journal_store(engine, journal_path);
        approvals = journal_approvals(engine);
        world.provider = [this](std::string_view name) {
            return provider_of(config, *plugins, name);
        };
        world.capability = [this](std::string_view id) -> Result<std::shared_ptr<ToolSource>> {
            const Json given = id == bridge_component ? bridge.config() : Json();
            FOXWEDGE_TRY(source, plugins->capability(id, given));
            return masked_source(std::move(source), secrets);
        };
        world.mcp_server = [this](std::string_view name) { return server(name); };
        world.guardrail = [this](const GuardrailUse& use) {
            return plugins->guardrail(use.use, use.config);
        };
        world.strategy = [this](std::string_view id) {
            return plugins->context_strategy(id, nullptr);
        };
        apps = std::make_unique<Apps>(config.apps, *engine, *options.log);
        world.app = [this](std::string_view name) { return app(name); };
        world.build = [this](std::string_view kind, std::string_view name) {
            return build_behind(config, *plugins, kind, name);
        };
        world.unavailable = [this](std::string_view id) {
            return id == bridge_component ? bridge.problem : std::string();
        };
        world.store = store.get();
        world.approvals = approvals.get();
        world.cancel = [this](std::string_view run) { return engine->cancel(run, "parent"); };
        world.run_head = [this](std::string_view run) { return engine->head(run); };
        world.spent_by_run = [this](auto run) { return agent::spent_by_tree(*engine, run); };
        world.events = [this](const agent::StepEvent& event) {
            broadcast.said(event);
            if (options.step_events) options.step_events(event);
        };
        if (const auto kv = plugins->find("foxwedge.capability/1", "workflow-kv"))
            world.accounting = kv->build.id;
    }

    Result<journal::NewRun> new_run(const StartRequest& request) {
        FOXWEDGE_CHECK(load_plugins());
        journal::NewRun run;
        run.host = config.name;
        run.workflow = request.name;
        run.key = request.key;
        run.input_json = request.input_json.empty() ? "null" : request.input_json;
        run.config_json = to_text(config.resolved);
        JsonObject labels{{"configFile", config.file},
                          {"project", config.project},
                          {"conversation", request.conversation},
                          {"user", request.user}};
        if (request.prompt) labels["prompt"] = *request.prompt;
        run.labels_json = to_text(labels);
        return run;
    }

    run::TreeOptions tree_options(const ExecuteRequest& request) {
        run::TreeOptions tree;
        tree.open = request.open;
        tree.workflow = [this, &request](const journal::RunHead& head) -> Result<run::Workflow> {
            const auto own = defined.find(head.workflow);
            if (own != defined.end()) return own->second.handler;
            return workflow_of(config, pinned, head.workflow, world, request.told);
        };
        tree.brief = [this](const journal::RunHead& head) {
            return !defined.count(head.workflow) && is_brief(config, head.workflow);
        };
        tree.events = [this, &request](const run::Event& event) {
            broadcast.happened(event);
            if (request.events) request.events(event);
        };
        tree.log = options.log;
        tree.stay_for_decisions = request.stay_for_decisions;
        return tree;
    }
};

Host::Host(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Host::~Host() = default;

Result<std::unique_ptr<Host>> Host::make(HostConfig config, HostOptions options) {
    auto parts = std::make_unique<Parts>(std::move(config), std::move(options));
    FOXWEDGE_CHECK(parts->open_journal());
    FOXWEDGE_CHECK(parts->open_plugins());
    parts->name_servers();
    parts->fill_world();
    return std::unique_ptr<Host>(new Host(std::move(parts)));
}

const HostConfig& Host::config() const {
    return parts_->config;
}
journal::Engine& Host::engine() {
    return *parts_->engine;
}
int Host::abandoned_calls() const {
    return parts_->plugins->abandoned_calls() + parts_->apps->abandoned_calls();
}
plugin::Registry& Host::plugins() {
    return *parts_->plugins;
}
agent::World& Host::world() {
    return parts_->world;
}

Status Host::define_workflow(WorkflowDefinition workflow) {
    const auto refused = [&](const char* why) {
        return permanent("invalid_workflow", "workflow \"" + workflow.name + "\": " + why);
    };
    if (!agent::is_plain_word(workflow.name))
        return refused("a name is 1 to 64 letters, digits, '_' or '-'");
    if (!workflow.handler) return refused("it has no handler");
    const auto known = names();
    if (std::find(known.begin(), known.end(), workflow.name) != known.end())
        return refused("there is an agent or workflow of that name already");
    std::string name = workflow.name;
    parts_->defined.emplace(std::move(name), std::move(workflow));
    return {};
}

JsonObject Host::defined_tools() const {
    JsonObject out;
    for (const auto& [name, workflow] : parts_->defined) out[name] = workflow.tools;
    return out;
}

Result<std::string> Host::secret(const std::string& name) {
    return parts_->secrets.value(name);
}
mcp::Limits Host::mcp_limits() const {
    return parts_->mcp_limits();
}
std::shared_ptr<mcp::Client> Host::mcp_client(std::string_view name) {
    return parts_->servers->client(name);
}

std::vector<std::string> Host::names() const {
    std::vector<std::string> out;
    for (const auto& [name, agent] : parts_->config.agents) out.push_back(name);
    for (const auto& [name, workflow] : parts_->config.workflows) out.push_back(name);
    for (const auto& [name, workflow] : parts_->defined) out.push_back(name);
    std::sort(out.begin(), out.end());
    return out;
}

Result<std::string> Host::resolve_name(std::string_view wanted) const {
    const auto known = names();
    if (wanted.empty() && known.size() == 1) return known.front();
    if (std::find(known.begin(), known.end(), wanted) != known.end()) return std::string(wanted);
    if (known.empty())
        return permanent("unknown_name",
                         "the config has no agent or workflow to run; add one under `agents`");
    const auto near = nearest(wanted, known);
    return permanent("unknown_name",
                     (wanted.empty() ? "say which agent or workflow to run"
                                     : "no agent or workflow \"" + std::string(wanted) + "\"") +
                         (near.empty() ? "; there are: " + join(known, ", ")
                                       : "; did you mean \"" + std::string(near) + "\"?"));
}

Result<journal::Engine::Started> Host::start(const StartRequest& request) {
    FOXWEDGE_TRY(run, parts_->new_run(request));
    return parts_->engine->start(run);
}

Result<journal::Engine::Begun> Host::begin(const StartRequest& request) {
    FOXWEDGE_TRY(run, parts_->new_run(request));
    return parts_->engine->begin(run, true);
}

Result<std::string> Host::fork(const ForkRequest& request) {
    auto& engine = *parts_->engine;
    FOXWEDGE_TRY(origin, engine.head(request.run));
    FOXWEDGE_TRY(records, engine.records(request.run));
    std::optional<std::string> output;
    if (request.output) {
        FOXWEDGE_TRY(fitting, output_for(records, request.at, *request.output));
        output = std::move(fitting);
    }
    FOXWEDGE_TRY(fork, run::fork_of(origin, records, request.at, output));
    FOXWEDGE_TRY(from, config_in_force(origin, fork.seed));
    ConfigRecord change;
    FOXWEDGE_TRY(to, configuration_for(engine, origin, from, parts_->config.resolved));
    change.config = std::move(to);
    change.changes = differences(from, change.config);
    if (!change.changes.empty()) {
        change.forked = !not_changeable(from, change.changes).empty();
        FOXWEDGE_TRY(providers, described_providers(parts_->config, *parts_->plugins));
        change.providers = std::move(providers);
        fork.seed.push_back(
            run::configuration_record(fork.seed, to_text(to_json(change)), system_clock().now()));
    }
    journal::NewRun run;
    run.host = origin.host;
    run.workflow = origin.workflow;
    run.input_json = origin.input_json;
    run.config_json = origin.config_json;
    FOXWEDGE_TRY(labels, parse_json(origin.labels_json.empty() ? "{}" : origin.labels_json));
    labels.get_object()["forkedFrom"] = origin.id;
    labels.get_object()["forkedAt"] = request.at;
    run.labels_json = to_text(labels);
    run.seed = std::move(fork.seed);
    run.forked_from = origin.id;
    FOXWEDGE_TRY(started, engine.start(run));
    return std::move(started.run);
}

Result<std::vector<std::string>> Host::change_configuration(std::string_view run_id, bool reopen) {
    auto& engine = *parts_->engine;
    FOXWEDGE_TRY(head, engine.head(run_id));
    FOXWEDGE_TRY(records, engine.records(run_id));
    FOXWEDGE_TRY(from, config_in_force(head, records));
    FOXWEDGE_TRY(to, configuration_for(engine, head, from, parts_->config.resolved));
    const auto changes = differences(from, to);
    if (changes.empty()) return changes;
    if (const auto refused = not_changeable(from, changes); !refused.empty())
        return permanent("config_change",
                         "a run under way cannot take other tools, guardrails, rules or "
                         "instructions (" +
                             join(refused, ", ") + "): fork it, as foxwedge fork " + head.id +
                             " --at STEP --config FILE");
    FOXWEDGE_TRY(providers, described_providers(parts_->config, *parts_->plugins));
    // A tree goes on under one configuration: what is still to come of its children too, each with
    // the options that it was started with.
    FOXWEDGE_CHECK(change_tree(engine, head, from, to, providers, reopen));
    return changes;
}

Status Host::can_execute(std::string_view run_id) {
    FOXWEDGE_CHECK(parts_->load_plugins());
    if (parts_->config.plugins.strict)
        FOXWEDGE_CHECK(check_builds(*parts_->engine, run_id, parts_->world.build));
    FOXWEDGE_TRY(wanted, parts_->engine->head(run_id));
    if (parts_->defined.count(wanted.workflow)) return {};
    return check_known(*parts_->engine, wanted, parts_->config);
}

Result<run::Finished> Host::execute(std::string_view run_id, const ExecuteRequest& request) {
    FOXWEDGE_TRY(wanted, parts_->engine->head(run_id));
    const bool stays_ended = journal::is_final(wanted.status) && !request.open.retry;
    if (!stays_ended) parts_->expect(wanted.workflow);
    // Of a run that stays ended nothing is executed: its end is told, whatever lies here now.
    if (!stays_ended) FOXWEDGE_CHECK(can_execute(run_id));
    const auto options = parts_->tree_options(request);
    FOXWEDGE_TRY(finished, run::run_tree(*parts_->engine, run_id, options));
    close_scripts(*parts_->engine, wanted.root, finished.how, *parts_->options.log);
    return finished;
}

Result<run::Finished> Host::execute_begun(journal::Engine::Begun begun,
                                          const ExecuteRequest& request) {
    if (!begun.held) return execute(begun.run, request);
    parts_->expect(begun.held->run().workflow);
    const auto options = parts_->tree_options(request);
    auto finished = run::run_tree(*parts_->engine, std::move(begun.held), options);
    close_scripts(*parts_->engine, begun.run, finished.how, *parts_->options.log);
    return finished;
}

Follower Host::follow(std::string_view run, std::uint64_t after) {
    return {parts_->engine, parts_->broadcast.listen(std::string(run)), std::string(run), after};
}

Result<Rehearsal> Host::rehearse(std::string_view run_id, const run::EventSink& events) {
    auto& engine = *parts_->engine;
    FOXWEDGE_TRY(origin, engine.head(run_id));
    FOXWEDGE_TRY(records, engine.records(run_id));
    FOXWEDGE_TRY(from, config_in_force(origin, records));
    FOXWEDGE_TRY(to, configuration_for(engine, origin, from, parts_->config.resolved));
    return compose::rehearse(engine, run_id, parts_->config, to, parts_->world, events);
}

} // namespace foxwedge::compose
