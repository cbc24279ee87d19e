#include "compose/plugins.hpp"

#include <algorithm>
#include <iterator>

#include "agent/calls/tool_ids.hpp"
#include "base/text.hpp"
#include "compose/script_workflow.hpp"
#include "http/url.hpp"
#include "plugin/config.hpp"
#include "plugin/search.hpp"

namespace foxwedge::compose {
namespace {

constexpr std::string_view memory = "workflow-memory";

class Check {
public:
    Check(const config::HostConfig& config, plugin::Registry& registry)
        : config_(config), registry_(registry), rows_(registry.rows()) {}

    std::vector<config::Problem> run() {
        for (std::size_t i = 0; i < config_.plugins.load.size(); ++i)
            check_load(config_.plugins.load[i], pointer_append("/plugins/load", i));
        for (const auto& [name, entry] : config_.providers)
            check_use(plugin::provider_kind, entry.use, entry.config,
                      pointer_append("/providers", name) + "/config");
        for (const auto& [name, agent] : config_.agents)
            check_agent(agent, pointer_append("/agents", name));
        for (const auto& [name, workflow] : config_.workflows)
            check_script_limits(workflow.limits, pointer_append("/workflows", name));
        for (const auto& [name, secret] : config_.secrets)
            check_origins(secret.origins, pointer_append("/secrets", name) + "/origins");
        return std::move(problems_);
    }

    /// What a run will not find. No mistake: the plugin may still be put on the path.
    std::vector<config::Problem> absent() {
        if (!config_.provider.empty()) look_for_provider(config_.provider, "/provider");
        for (const auto& [name, agent] : config_.agents)
            look_for_parts(agent, pointer_append("/agents", name));
        for (const auto& [id, entry] : config_.tools)
            look_for_tool(id, pointer_append("/tools", id));
        return std::move(problems_);
    }

private:
    void check_agent(const AgentOptions& agent, const std::string& here) {
        for (std::size_t i = 0; i < agent.guardrails.size(); ++i)
            check_use(plugin::guardrail_kind, agent.guardrails[i].use, agent.guardrails[i].config,
                      pointer_append(here + "/guardrails", i) + "/config");
        check_context(agent.context, here + "/context");
        for (std::size_t i = 0; i < agent.tools.size(); ++i)
            check_tool_limits(agent.tools[i], pointer_append(here + "/tools", i));
        // Each call of a tool without its store would fail.
        if (agent.global_memory && !registry_.find(plugin::capability_kind, memory))
            add(here + "/globalMemory", "no plugin on the path has " + std::string(memory) +
                                            ", which keeps what is remembered" + searched());
    }

    void check_tool_limits(const ToolOptions& tool, const std::string& here) {
        if (!tool.limits.is_null() && agent::component_of(tool.use) != script_component)
            add(here + "/limits", "only the workflow tool, which runs scripts, takes limits");
        else
            check_script_limits(tool.limits, here);
    }

    /// Who calls for a script may lower the plugin's limits, and raise none.
    void check_script_limits(const Json& limits, const std::string& here) {
        const auto found = registry_.find(plugin::capability_kind, script_component);
        if (limits.is_null() || !found) return;
        const JsonObject alone{{"limits", limits}};
        if (auto fit = plugin::checked_config(found->component, alone); !fit)
            return add_misfit(fit.error(), here);
        for (const auto& [name, wanted] : limits.get_object()) {
            const auto ceiling = script_limit(*found, name);
            if (ceiling && wanted.is_int64() && wanted.get_int64() > *ceiling)
                add(pointer_append(here + "/limits", name),
                    "the plugin's limit is " + std::to_string(*ceiling) +
                        "; only a lower one can be set here");
        }
    }

    /// As the plugin has it, configured or by default; nothing where the machine decides.
    std::optional<std::int64_t> script_limit(const plugin::Registry::Found& script,
                                             const std::string& name) const {
        for (const auto& load : config_.plugins.load)
            if (load.id == script.build.id)
                if (const Json* set = at_pointer(load.config, pointer_append("/limits", name)))
                    return set->is_int64() ? std::optional(set->get_int64()) : std::nullopt;
        const Json* const usual =
            at_pointer(script.component.config_schema,
                       pointer_append("/properties/limits/properties", name) + "/default");
        return usual && usual->is_int64() ? std::optional(usual->get_int64()) : std::nullopt;
    }

    void check_context(const Json& context, const std::string& here) {
        const auto strategy = string_member(context, "strategy");
        if (!strategy) return;
        const auto found = registry_.find(plugin::context_strategy_kind, *strategy);
        if (!found) return;
        Json options = context;
        // Its name is not one of its options, unless its schema says so.
        if (!at_pointer(found->component.config_schema, "/properties/strategy"))
            options.get_object().erase("strategy");
        if (auto fit = plugin::checked_config(found->component, options); !fit)
            add_misfit(fit.error(), here);
    }

    void look_for_parts(const AgentOptions& agent, const std::string& here) {
        if (!agent.provider.empty())
            look_for_provider(agent.provider, here + "/provider");
        else if (config_.provider.empty())
            warn(here, "names no provider: set `provider` here or for the host");
        for (std::size_t i = 0; i < agent.guardrails.size(); ++i)
            look_for(plugin::guardrail_kind, "guardrail", agent.guardrails[i].use,
                     pointer_append(here + "/guardrails", i));
        if (const auto strategy = string_member(agent.context, "strategy"))
            look_for(plugin::context_strategy_kind, "context strategy", std::string(*strategy),
                     here + "/context/strategy");
        for (std::size_t i = 0; i < agent.tools.size(); ++i)
            if (const auto& tool = agent.tools[i]; !tool.workflow.empty() && tool.app.empty())
                look_for_workflow(tool.workflow, pointer_append(here + "/tools", i) + "/workflow");
    }

    /// A program around the config may define more of them.
    void look_for_workflow(const std::string& name, const std::string& pointer) {
        if (config_.agents.count(name) || config_.workflows.count(name)) return;
        std::vector<std::string> known;
        for (const auto& [id, agent] : config_.agents) known.push_back(id);
        for (const auto& [id, workflow] : config_.workflows) known.push_back(id);
        warn(pointer, "no agent or workflow here is called \"" + name + '"' + hint(name, known));
    }

    static std::string hint(const std::string& wanted, const std::vector<std::string>& known) {
        const auto near = nearest(wanted, known);
        return near.empty() ? "; there are: " + join(known, ", ")
                            : "; did you mean \"" + std::string(near) + "\"?";
    }

    void add(const std::string& pointer, const std::string& message) {
        problems_.push_back(config_.problem_at(pointer, message));
    }

    void check_origins(const std::vector<std::string>& origins, const std::string& pointer) {
        for (std::size_t i = 0; i < origins.size(); ++i)
            if (const auto origin = http::origin_of(origins[i]); !origin)
                add(pointer_append(pointer, i),
                    "expected scheme://host[:port]: " + origin.error().message);
    }

    void warn(const std::string& pointer, const std::string& message) {
        add(pointer, message);
        problems_.back().warning = true;
    }

    std::string searched() const { return plugin::searched(registry_options(config_).folders); }

    std::vector<std::string> components(std::string_view kind) const {
        std::vector<std::string> ids;
        for (const auto& row : rows_)
            if (row.usable())
                for (const auto& component : row.descriptor->components)
                    if (component.kind == kind) ids.push_back(component.id);
        return ids;
    }

    void look_for_provider(const std::string& name, const std::string& pointer) {
        const auto entry = config_.providers.find(name);
        const auto& component = entry == config_.providers.end() ? name : entry->second.use;
        look_for(plugin::provider_kind, "provider", component, pointer);
    }

    void look_for(std::string_view kind, const std::string& word, const std::string& component,
                  const std::string& pointer) {
        const auto known = components(kind);
        if (std::find(known.begin(), known.end(), component) != known.end()) return;
        warn(pointer, "no plugin on the path has a " + word + " \"" + component + '"' +
                          hint(component, known) + searched());
    }

    void look_for_tool(const std::string& id, const std::string& pointer) {
        for (const auto& component : components(plugin::capability_kind))
            if (id.starts_with(component + '_')) return;
        warn(pointer, "no capability on the plugin path has this tool; ids are "
                      "<component>_<tool>, see foxwedge plugins list" +
                          searched());
    }

    const plugin::Descriptor* descriptor_of(std::string_view plugin_id) const {
        for (const auto& row : rows_)
            if (row.id == plugin_id && row.usable()) return &*row.descriptor;
        return nullptr;
    }

    void check_load(const config::PluginLoad& load, const std::string& pointer) {
        if (auto fit = registry_.judge(load.id); !fit) {
            const bool digest = fit.error().code == "wrong_digest";
            return add(pointer + (digest ? "/sha256" : ""), fit.error().message);
        }
        const auto* descriptor = descriptor_of(load.id);
        if (!descriptor) return;
        if (load.isolation == "process") check_isolation(*descriptor, pointer);
        if (!load.config.is_null()) check_load_config(*descriptor, load, pointer);
    }

    void check_isolation(const plugin::Descriptor& descriptor, const std::string& pointer) {
        for (const auto& component : descriptor.components)
            if (plugin::is_known_kind(component.kind) && !plugin::is_isolatable(component.kind))
                add(pointer + "/isolation",
                    "the plugin " + descriptor.id + " has a " + component.kind +
                        "; only capabilities and providers run in a process of their own");
    }

    /// A configuration for several components has to fit one of them.
    void check_load_config(const plugin::Descriptor& descriptor, const config::PluginLoad& load,
                           const std::string& pointer) {
        std::optional<Error> first;
        for (const auto& component : descriptor.components) {
            auto fit = plugin::checked_config(component, load.config);
            if (fit) return;
            if (!first) first = std::move(fit).error();
        }
        if (first) add_misfit(*first, pointer + "/config");
    }

    void check_use(std::string_view kind, const std::string& id, const Json& given,
                   const std::string& pointer) {
        const auto found = registry_.find(kind, id);
        if (!found) return;
        // With none of its own it takes that of `plugins.load`, which is checked there.
        if (given.is_null() && has_config_of_load(found->build.id)) return;
        if (auto fit = plugin::checked_config(found->component, given); !fit)
            add_misfit(fit.error(), pointer);
    }

    bool has_config_of_load(const std::string& plugin_id) const {
        return std::any_of(
            config_.plugins.load.begin(), config_.plugins.load.end(),
            [&](const auto& load) { return load.id == plugin_id && !load.config.is_null(); });
    }

    /// One problem for each violation, at the member that it is about.
    void add_misfit(const Error& error, const std::string& pointer) {
        const auto details = parse_json(error.details);
        const auto* violations = details ? array_member(*details, "violations") : nullptr;
        if (!violations) return add(pointer, error.message);
        for (const auto& violation : *violations)
            add(pointer + std::string(string_member(violation, "instancePointer").value_or("")),
                std::string(string_member(violation, "message").value_or("")));
    }

    const config::HostConfig& config_;
    plugin::Registry& registry_;
    const std::vector<plugin::Row> rows_;
    std::vector<config::Problem> problems_;
};

} // namespace

std::optional<Json> build_behind(const config::HostConfig& config, plugin::Registry& registry,
                                 std::string_view kind, std::string_view name) {
    static constexpr std::pair<std::string_view, std::string_view> kinds[] = {
        {"provider", plugin::provider_kind},
        {"capability", plugin::capability_kind},
        {"guardrail", plugin::guardrail_kind},
        {"strategy", plugin::context_strategy_kind}};
    std::string component(name);
    if (const auto entry = config.providers.find(component);
        kind == "provider" && entry != config.providers.end())
        component = entry->second.use;
    for (const auto& [word, id] : kinds) {
        if (word != kind) continue;
        if (const auto found = registry.build_of(id, component)) return to_json(*found);
    }
    return std::nullopt;
}

plugin::RegistryOptions registry_options(const config::HostConfig& config) {
    plugin::RegistryOptions options;
    options.folders = plugin::search_path(config.plugins.path, plugin::process_environment());
    for (const auto& use : config.plugins.load)
        options.uses.push_back({use.id, use.config, use.isolation == "process", use.sha256});
    if (!config.file.empty()) options.lock_file = plugin::lock_path_for(config.file);
    options.limits.grace = config.limits.plugin_grace;
    options.limits.open = config.limits.plugin_open;
    options.limits.create = config.limits.plugin_create;
    options.limits.abandoned_refuse = config.limits.plugin_abandoned;
    options.box.memory_bytes = static_cast<std::uint64_t>(config.limits.box_memory_bytes);
    options.box.cpu_seconds = static_cast<std::uint64_t>(config.limits.box_cpu_seconds);
    return options;
}

std::vector<config::Problem> plugin_problems(const config::HostConfig& config,
                                             plugin::Registry& registry) {
    if (!config.problem_at) return {};
    return Check(config, registry).run();
}

std::vector<config::Problem> check_plugins(const config::HostConfig& config) {
    auto registry = plugin::Registry::open(registry_options(config));
    if (!registry) return {config.problem_at("", registry.error().message)};
    auto problems = plugin_problems(config, **registry);
    auto absent = Check(config, **registry).absent();
    std::move(absent.begin(), absent.end(), std::back_inserter(problems));
    return problems;
}

Json provider_config(const config::HostConfig& config, const plugin::Registry& registry,
                     std::string_view component, const Json& given) {
    const auto plugin = registry.plugin_with(plugin::provider_kind, component, "idleTimeoutMs");
    if (!plugin) return given;
    Json out = given;
    for (const auto& load : config.plugins.load)
        if (out.is_null() && load.id == *plugin) out = load.config;
    if (out.is_null()) out = JsonObject();
    if (out.is_object()) // what stands there already is not touched
        out.get_object().emplace("idleTimeoutMs", config.limits.provider_idle.count());
    return out;
}

Result<std::shared_ptr<Provider>> provider_of(const config::HostConfig& config,
                                              plugin::Registry& registry, std::string_view name) {
    const auto entry = config.providers.find(std::string(name));
    const bool named = entry != config.providers.end();
    const std::string component(named ? entry->second.use : name);
    return registry.provider(component, provider_config(config, registry, component,
                                                        named ? entry->second.config : Json()));
}

Result<std::map<std::string, ProviderTraits>> described_providers(const config::HostConfig& config,
                                                                  plugin::Registry& registry) {
    std::map<std::string, ProviderTraits> out;
    for (const auto& [id, agent] : config.agents) {
        const auto& name = agent.provider.empty() ? config.provider : agent.provider;
        if (name.empty() || out.count(name)) continue;
        FOXWEDGE_TRY(found, provider_of(config, registry, name));
        Call call;
        FOXWEDGE_TRY(traits, found->describe(call));
        out.emplace(name, std::move(traits));
    }
    return out;
}

} // namespace foxwedge::compose
