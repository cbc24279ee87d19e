#include "config/shapes.hpp"

#include <algorithm>
#include <set>

namespace foxwedge::config {
namespace {

template <class T>
Codec<T> inner(std::function<void(Shape<T>&)> fill) {
    auto shape = std::make_shared<Shape<T>>();
    fill(*shape);
    return object(ShapePtr<T>(shape));
}

Codec<JournalConfig> journal() {
    return inner<JournalConfig>([](auto& s) {
        s.key("path", &JournalConfig::path, nonempty_text(),
              "a folder; default $XDG_STATE_HOME/foxwedge/<name>")
            .key("durability", &JournalConfig::durability, one_of({"sync", "relaxed"}),
                 "relaxed: a power failure may lose the last commit")
            .key("mapLimit", &JournalConfig::map_limit, big_integer(1 << 20),
                 "bytes reserved for the file; it never grows beyond");
    });
}

Codec<PluginLoad> plugin_load() {
    const auto as_object = inner<PluginLoad>([](auto& s) {
        s.key("id", &PluginLoad::id, nonempty_text(), "the plugin's id")
            .required()
            .key("config", &PluginLoad::config, json_object(), "for its components")
            .key("isolation", &PluginLoad::isolation, one_of({"in-process", "process"}),
                 "process: in a box of its own")
            .key("sha256", &PluginLoad::sha256, text(), "the only digest that is accepted");
    });
    return {
        [as_object](Reading& r, const Json& v, const std::string& p, PluginLoad& to) {
            if (v.is_string()) return nonempty_text().read(r, v, p, to.id);
            as_object.read(r, v, p, to);
        },
        [as_object] {
            return JsonObject{{"anyOf", JsonArray{nonempty_text().schema(), as_object.schema()}}};
        }};
}

Codec<PluginsConfig> plugins() {
    return inner<PluginsConfig>([](auto& s) {
        s.key("path", &PluginsConfig::path, list(nonempty_text()), "folders, searched first")
            .key("load", &PluginsConfig::load, list(plugin_load()),
                 "ids to load at start, or {id, config, isolation, sha256}")
            .key("strictPlugins", &PluginsConfig::strict, boolean(),
                 "refuse to resume a run under a replaced plugin");
    });
}

Codec<ProviderEntry> provider_entry() {
    return inner<ProviderEntry>([](auto& s) {
        s.key("use", &ProviderEntry::use, nonempty_text(), "a component; default: the entry's name")
            .key("config", &ProviderEntry::config, json_object(), "the component's own")
            .key("model", &ProviderEntry::model, nonempty_text(), "default model");
    });
}

Codec<WorkflowEntry> workflow_entry() {
    return inner<WorkflowEntry>([](auto& s) {
        s.key("agent", &WorkflowEntry::agent, nonempty_text(), "an entry of `agents`")
            .key("script", &WorkflowEntry::script, nonempty_text(), "a workflow script's text")
            .key("limits", &WorkflowEntry::limits, json_object(),
                 "of the script, by the names of the workflow plugin's `limits`: lower ones only")
            .then([](Reading& r, const std::string& p, WorkflowEntry& workflow) {
                if (workflow.script.empty() && !workflow.limits.is_null())
                    r.problem(p + "/limits", "`limits` goes only with `script`");
                if (workflow.agent.empty() && workflow.script.empty())
                    r.problem(p, "a workflow needs `agent` or `script`");
            });
    });
}

Codec<AppEntry> app_entry() {
    return inner<AppEntry>([](auto& s) {
        s.key("config", &AppEntry::config, nonempty_text(), "another host's config file")
            .key("url", &AppEntry::url, nonempty_text(),
                 "where another host serves MCP with --workflows")
            .key("headers", &AppEntry::headers, map_of(text()), "${secret:NAME} allowed")
            .then([](Reading& r, const std::string& p, AppEntry& app) {
                if (app.config.empty() == app.url.empty())
                    r.problem(p, "an app needs either `config` or `url`");
            });
    });
}

Codec<CatalogueEntry> catalogue_entry() {
    return inner<CatalogueEntry>([](auto& s) {
        s.key("enabled", &CatalogueEntry::enabled, boolean(), "whether it is offered")
            .key("autoApprove", &CatalogueEntry::auto_approve, boolean(),
                 "whether it runs without a person")
            .key("approval", &CatalogueEntry::approval, approval_rule(), "the tool's own rule")
            .then([](Reading& r, const std::string& p, CatalogueEntry& entry) {
                if (entry.auto_approve && entry.approval)
                    r.problem(p, "`autoApprove: true` and `approval` contradict each other");
            });
    });
}

Codec<SecretSource> secret_source() {
    return inner<SecretSource>([](auto& s) {
        s.key("env", &SecretSource::env, nonempty_text(), "an environment variable")
            .key("file", &SecretSource::file, nonempty_text(), "a file; its last newline is cut")
            .key("command", &SecretSource::command, list(text()), "a program that prints it")
            .key("origins", &SecretSource::origins, list(nonempty_text()),
                 "where it may be sent: scheme://host[:port]")
            .then([](Reading& r, const std::string& p, SecretSource& secret) {
                if (!secret.env.empty() + !secret.file.empty() + !secret.command.empty() != 1)
                    r.problem(p, "a secret needs exactly one of `env`, `file`, `command`");
            });
    });
}

Codec<Price> price() {
    return inner<Price>([](auto& s) {
        s.key("input", &Price::input, number(0), "USD per million tokens")
            .key("output", &Price::output, number(0), "USD per million tokens")
            .key("cacheRead", &Price::cache_read, number(0), "USD per million tokens")
            .key("cacheWrite", &Price::cache_write, number(0), "USD per million tokens");
    });
}

Codec<Limits> limits() {
    return inner<Limits>([](auto& s) {
        s.key("mcpStart", &Limits::mcp_start, duration(),
              "until an MCP server's handshake is done, where its entry does not say")
            .key("mcpCall", &Limits::mcp_call, duration(),
                 "silence of an MCP server during one call, where its entry does not say")
            .key("mcpCallLongest", &Limits::mcp_call_longest, duration(),
                 "a call to an MCP server, whatever progress it reports")
            .key("mcpIdle", &Limits::mcp_idle, duration(),
                 "after it a server that was started as a child and is not used is stopped")
            .key("mcpTools", &Limits::mcp_tools, integer(1, 100'000), "tools of an MCP server")
            .key("mcpPages", &Limits::mcp_pages, integer(1, 10'000),
                 "pages of a list of an MCP server")
            .key("mcpFrameBytes", &Limits::mcp_frame_bytes, big_integer(1024),
                 "the longest message of an MCP server")
            .key("jsonDepth", &Limits::json_depth, integer(16, 1000),
                 "nesting of an MCP server's messages")
            .key("providerIdle", &Limits::provider_idle, duration(),
                 "silence of a model while it answers, where its entry does not say")
            .key("serveConnections", &Limits::serve_connections, integer(1, 100'000),
                 "connections at a time to what this host serves over HTTP")
            .key("serveSessions", &Limits::serve_sessions, integer(1, 100'000),
                 "MCP sessions at a time; past it the longest unused one ends")
            .key("serveSessionIdle", &Limits::serve_session_idle, duration(),
                 "after it an unused MCP session ends")
            .key("serveBodyBytes", &Limits::serve_body_bytes, big_integer(1024),
                 "the body of a request to this host")
            .key("guardrail", &Limits::guardrail, duration(),
                 "time for one check of a guardrail; past it the check has failed, which denies")
            .key("contextPlan", &Limits::context_plan, duration(),
                 "time for one plan of a context strategy; past it the run fails")
            .key("pluginGrace", &Limits::plugin_grace, duration(),
                 "from the cancellation of a plugin's call until it is left behind")
            .key("pluginOpen", &Limits::plugin_open, duration(), "for a plugin to open")
            .key("pluginCreate", &Limits::plugin_create, duration(),
                 "for a plugin to make an instance")
            .key("pluginAbandoned", &Limits::plugin_abandoned, integer(1, 1000),
                 "calls of a plugin left behind until it gets no new work")
            .key("boxMemoryBytes", &Limits::box_memory_bytes, big_integer(0),
                 "address space of a plugin's box; 0: no limit")
            .key("boxCpuSeconds", &Limits::box_cpu_seconds, big_integer(0),
                 "processor time of a plugin's box; 0: no limit");
    });
}

Codec<HttpConfig> http() {
    return inner<HttpConfig>([](auto& s) {
        s.key("allow", &HttpConfig::allow, list(nonempty_text()), "origins plugins may reach")
            .key("allowPrivate", &HttpConfig::allow_private, boolean(),
                 "private and loopback addresses too")
            .key("secretsOverHttp", &HttpConfig::secrets_over_http, boolean(),
                 "secrets over plain http:// beyond this machine too")
            .key("proxy", &HttpConfig::proxy, nonempty_text(), "http://host:port")
            .key("noProxy", &HttpConfig::no_proxy, list(nonempty_text()),
                 "reached directly; spelt as in `allow`")
            .key("caFile", &HttpConfig::ca_file, nonempty_text(),
                 "PEM file of certificate authorities; default: the system's");
    });
}

bool is_name(std::string_view name) {
    return !name.empty() && name.find(':') == std::string_view::npos;
}

/// True for the id of a tool of an attached server, about which an agent may say more.
bool is_server_tool(const AgentOptions& agent, std::string_view id) {
    for (const auto& server : agent.mcp_servers)
        if (id.substr(0, server.name.size()) == server.name && id.size() > server.name.size() &&
            id[server.name.size()] == '_')
            return true;
    return false;
}

/// A plugin's tool that an agent names stands in the catalogue.
void check_tools(Reading& r, const std::string& here, const AgentOptions& agent,
                 const HostConfig& host) {
    for (std::size_t i = 0; i < agent.tools.size(); ++i) {
        if (const auto& app = agent.tools[i].app; !app.empty() && !host.apps.count(app))
            r.problem(pointer_append(here + "/tools", i) + "/app",
                      "no entry \"" + app + "\" in apps");
        const auto& id = agent.tools[i].use;
        const bool names_one = !id.empty() && id.back() != '*' && !is_server_tool(agent, id);
        if (!names_one || host.tools.count(id)) continue;
        std::vector<std::string> known;
        for (const auto& [declared, entry] : host.tools) known.push_back(declared);
        const auto near = nearest(id, known);
        r.problem(pointer_append(here + "/tools", i),
                  "\"" + id + "\" is not declared in `tools`" +
                      (near.empty() ? "" : "; did you mean \"" + std::string(near) + "\"?"));
    }
}

constexpr const char* memory_tool = "workflow-memory_global_memory";

/// Two tools of one name, or one that is named twice: which of the two settings counts?
void check_duplicates(Reading& r, const std::string& here, const AgentOptions& agent) {
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < agent.tools.size(); ++i) {
        const auto& tool = agent.tools[i];
        const auto& name = tool.use.empty() ? tool.name : tool.use;
        if (!name.empty() && !seen.insert(name).second)
            r.problem(pointer_append(here + "/tools", i),
                      "there is a tool \"" + name + "\" before this one");
    }
}

void check_references(Reading& r, const std::string&, HostConfig& host) {
    for (const auto& [name, agent] : host.agents) {
        const auto here = pointer_append("/agents", name);
        if (!is_name(name)) r.problem(here, "an agent's name must not be empty or contain \":\"");
        if (host.workflows.count(name))
            r.problem(pointer_append("/workflows", name),
                      "there is an agent of this name: agents and workflows share one name space");
        check_tools(r, here, agent, host);
        check_duplicates(r, here, agent);
        if (agent.global_memory && !host.tools.count(memory_tool))
            r.problem(here + "/globalMemory",
                      std::string("\"") + memory_tool + "\" is not declared in `tools`");
        for (std::size_t i = 0; i < agent.mcp_servers.size(); ++i) {
            const auto& server = agent.mcp_servers[i].name;
            if (host.mcp_servers.count(server)) continue;
            std::vector<std::string> known;
            for (const auto& [id, entry] : host.mcp_servers) known.push_back(id);
            const auto near = nearest(server, known);
            r.problem(pointer_append(here + "/mcpServers", i),
                      "no entry \"" + server + "\" in mcpServers" +
                          (near.empty() ? "" : "; did you mean \"" + std::string(near) + "\"?"));
        }
    }
    for (const auto& [name, workflow] : host.workflows)
        if (!workflow.agent.empty() && !host.agents.count(workflow.agent))
            r.problem(pointer_append("/workflows", name) + "/agent",
                      "no entry \"" + workflow.agent + "\" in agents");
}

/// The name is also that of the folder in which the journal lies by default.
Codec<std::string> host_name() {
    static constexpr std::size_t most = 200;
    return {[](Reading& r, const Json& v, const std::string& p, std::string& to) {
                nonempty_text().read(r, v, p, to);
                const bool odd = std::any_of(to.begin(), to.end(), [](unsigned char c) {
                    return c < 0x20 || c == 0x7F || c == '/';
                });
                if (odd || to == "." || to == ".." || to.size() > most)
                    r.problem(p, "must be able to name a folder: no \"/\", no control character, "
                                 "not \".\" or \"..\", at most " +
                                     std::to_string(most) + " bytes");
            },
            [] {
                return JsonObject{{"type", "string"},
                                  {"minLength", 1},
                                  {"maxLength", std::size_t{most}},
                                  {"pattern", "^[^/\\u0000-\\u001f\\u007f]*$"}};
            }};
}

} // namespace

ShapePtr<HostConfig> host_shape() {
    static const auto shape = [] {
        using H = HostConfig;
        auto s = std::make_shared<Shape<H>>();
        s->key("$schema",
               {[](Reading&, const Json&, const std::string&, H&) {},
                [] {
                    return JsonObject{{"type", "string"}};
                }},
               "for editors")
            .key("name", &H::name, host_name(), "the host's name")
            .required()
            .key("project", &H::project, nonempty_text(),
                 "under which knowledge, KV and memory are kept; default: name")
            .key("include",
                 {[](Reading&, const Json&, const std::string&, H&) {},
                  [] { return list(nonempty_text()).schema(); }},
                 "files merged before this one; later wins, arrays replace")
            .key("journal", &H::journal, journal(), "where runs are kept")
            .key("plugins", &H::plugins, plugins(), "where plugins are found")
            .key("providers", &H::providers, map_of(provider_entry()),
                 "name → provider component, its config, its default model")
            .key("provider", &H::provider, nonempty_text(), "what agents use that name none")
            .key("mcpServers", &H::mcp_servers, map_of(object(mcp_server_shape())),
                 "name → server, as other MCP clients write it")
            .key("agents", &H::agents, map_of(object(agent_shape())), "name → agent options")
            .key("workflows", &H::workflows, map_of(workflow_entry()),
                 "name → what tools, children and `run` can call")
            .key("apps", &H::apps, map_of(app_entry()),
                 "other hosts whose workflows tools may call")
            .key("tools", &H::tools, map_of(catalogue_entry()),
                 "the catalogue: tool id → enabled, autoApprove, approval")
            .key("secrets", &H::secrets, map_of(secret_source()),
                 "resolved when used, never stored")
            .key("prices", &H::prices, map_of(price()),
                 "model pattern → cost; the entry that says most of a name counts")
            .key("retry", &H::retry, object(retry_shape()), "default of all agents")
            .key("limits", &H::limits, limits(), "figures that protect the host")
            .key("http", &H::http, http(), "what plugins' requests may reach")
            .key("telemetry", &H::telemetry, json_object(), "traces and metrics")
            .then([](Reading&, const std::string&, H& host) {
                for (auto& [name, server] : host.mcp_servers) server.name = name;
                for (auto& [name, entry] : host.providers)
                    if (entry.use.empty()) entry.use = name;
                if (host.project.empty()) host.project = host.name;
            })
            .then(check_references);
        return s;
    }();
    return shape;
}

} // namespace foxwedge::config
