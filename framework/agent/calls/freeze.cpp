#include "agent/calls/freeze.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "agent/calls/argument_check.hpp"
#include "agent/calls/tool_ids.hpp"
#include "agent/guard/definitions.hpp"
#include "agent/manifest.hpp"
#include "agent/names.hpp"
#include "agent/step_call.hpp"

namespace foxwedge::agent {
namespace {

/// Offered by an option of the agent, never by naming its tools alone.
constexpr std::string_view memory_component = "workflow-memory";

/// True for the id of a tool of an attached server, about which more is said.
bool names_server(const AgentOptions& options, std::string_view id) {
    return std::any_of(options.mcp_servers.begin(), options.mcp_servers.end(),
                       [&](const McpServerUse& server) {
                           return id.starts_with(server.name) && id.size() > server.name.size() &&
                                  id[server.name.size()] == '_';
                       });
}

/// Collects what all sources offer.
class Gathering {
public:
    Gathering(const Agent& agent, World& world, Call& call)
        : agent_(agent), world_(world), call_(call) {}

    Status own(const Tool&);
    Status capabilities();
    Status discovered(const Discovered&);
    Status finish();
    /// What the run was begun with: asked once all of it is loaded.
    void note_builds(const std::string& provider);

    ToolTable table;

private:
    Status capability(const std::string& component, const std::vector<const ToolOptions*>& uses);
    void drop(const std::vector<const ToolOptions*>& uses, const std::string& why);
    Result<std::optional<Stated>> stated_of(const std::string& tool_id,
                                            const ToolOptions* use) const;
    Status offer(FrozenTool, std::string raw_name, const Stated&);
    bool usable(const ToolDefinition&, const std::string& id);
    void take_sections(const ToolList&, const std::string& component);
    void note_build(std::string_view kind, const std::string& component);

    const Agent& agent_;
    World& world_;
    Call& call_;
    std::vector<Offered> offered_;
    std::set<std::string> listed_; ///< components that were asked for their tools
};

Status Gathering::offer(FrozenTool tool, std::string raw_name, const Stated& stated) {
    if (!usable(tool.definition, tool.id.empty() ? raw_name : tool.id)) return {};
    auto applied = resolve(stated, agent_.options.approval);
    if (!applied) {
        Error error = std::move(applied).error();
        error.message = "tool \"" + (tool.id.empty() ? raw_name : tool.id) + "\": " + error.message;
        return error;
    }
    tool.approval = *std::move(applied);
    tool.shadow = shadow_of(stated, agent_.options.approval);
    offered_.push_back({std::move(tool), std::move(raw_name)});
    return {};
}

bool Gathering::usable(const ToolDefinition& tool, const std::string& id) {
    SchemaReport report = inspect_schema(tool.input_schema, agent_.options.strict_schemas);
    if (!report.error.empty()) {
        table.dropped.push_back({id, "its inputSchema is unusable: " + report.error});
        return false;
    }
    for (const std::string& warning : report.warnings)
        table.warnings.push_back("tool \"" + id + "\": " + warning);
    return true;
}

Status Gathering::own(const Tool& tool) {
    FOXWEDGE_CHECK(check_tool(tool));
    const ToolOptions& o = tool.options;
    FrozenTool frozen;
    frozen.id = o.name;
    frozen.origin = o.workflow.empty() ? Origin::own : Origin::workflow;
    frozen.definition = definition_of(tool);
    Stated stated;
    stated.requires_approval = o.requires_approval;
    stated.own = o.approval;
    return offer(std::move(frozen), o.name, stated);
}

/// None: the catalogue has switched the tool off.
Result<std::optional<Stated>> Gathering::stated_of(const std::string& tool_id,
                                                   const ToolOptions* use) const {
    Stated stated;
    stated.requires_approval = true; // no catalogue, no word that it is harmless
    if (world_.catalogue) {
        const CatalogueEntry* entry = world_.catalogue(tool_id);
        if (!entry)
            return permanent("unregistered_tool",
                             "the host's `tools` do not declare \"" + tool_id + "\"");
        if (!entry->enabled) return std::optional<Stated>();
        stated = stated_by_catalogue(*entry);
    }
    if (!use) return std::optional(stated);
    if (use->requires_approval == false && stated.requires_approval == true)
        return permanent("contradictory_approval",
                         "\"" + tool_id +
                             "\" needs approval by the host's catalogue; an agent "
                             "cannot take that away");
    if (use->requires_approval) stated.requires_approval = use->requires_approval;
    if (use->approval) {
        stated.own = use->approval;
        stated.requires_approval = true;
        stated.by = RuleSource::tool;
    }
    return std::optional(stated);
}

void Gathering::drop(const std::vector<const ToolOptions*>& uses, const std::string& why) {
    for (const ToolOptions* use : uses) table.dropped.push_back({use->use, why});
}

Status Gathering::capability(const std::string& component,
                             const std::vector<const ToolOptions*>& uses) {
    if (!world_.capability)
        return permanent("unknown_tool", "this host has no plugins, so no \"" + component + "\"");
    if (const auto why = world_.unavailable ? world_.unavailable(component) : ""; !why.empty()) {
        drop(uses, why);
        return {};
    }
    FOXWEDGE_TRY(source, world_.capability(component));
    FOXWEDGE_TRY(list, source->list(call_));
    listed_.insert(component);
    const auto rest = std::find_if(uses.begin(), uses.end(), [&](const ToolOptions* use) {
        return use->use == component + "_*";
    });
    const bool all = rest != uses.end();
    for (const ToolOptions* use : uses) {
        const auto is_it = [&](const ToolDefinition& tool) {
            return capability_tool_id(component, tool.name) == use->use;
        };
        if (use->use != component + "_*" &&
            std::none_of(list.tools.begin(), list.tools.end(), is_it))
            return permanent("unknown_tool",
                             "\"" + component + "\" has no tool \"" + use->use + "\"");
    }
    bool any = false;
    for (ToolDefinition& tool : list.tools) {
        const std::string id = capability_tool_id(component, tool.name);
        const auto use = std::find_if(uses.begin(), uses.end(),
                                      [&](const ToolOptions* one) { return one->use == id; });
        if (!all && use == uses.end()) continue;
        if (use == uses.end() && world_.catalogue && !world_.catalogue(id)) {
            table.dropped.push_back({id, "not declared in the host's catalogue"});
            continue;
        }
        FOXWEDGE_TRY(stated, stated_of(id, use == uses.end() ? *rest : *use));
        if (!stated) {
            table.dropped.push_back({id, "switched off by the host's catalogue"});
            continue;
        }
        any = true;
        FrozenTool frozen;
        frozen.id = shown_tool_name(component, tool.name);
        frozen.origin = Origin::capability;
        frozen.source = component;
        std::string raw = tool.name;
        frozen.definition = std::move(tool);
        FOXWEDGE_CHECK(offer(std::move(frozen), std::move(raw), *stated));
    }
    for (auto& one : list.dropped) table.dropped.push_back(std::move(one));
    for (auto& one : list.warnings) table.warnings.push_back(std::move(one));
    if (any) take_sections(list, component);
    return {};
}

void Gathering::take_sections(const ToolList& list, const std::string& component) {
    for (const PromptSection& section : list.sections) {
        const std::string id = capability_tool_id(component, section.id);
        const CatalogueEntry* entry = nullptr;
        if (world_.catalogue) {
            entry = world_.catalogue(section.id);
            if (!entry) entry = world_.catalogue(id);
        }
        if (!entry || entry->enabled) table.sections.push_back(section);
    }
}

Status Gathering::capabilities() {
    std::map<std::string, std::vector<const ToolOptions*>, std::less<>> by_component;
    for (const ToolOptions& use : agent_.options.tools)
        if (!use.use.empty() && !names_server(agent_.options, use.use))
            by_component[std::string(component_of(use.use))].push_back(&use);
    ToolOptions memory;
    if (agent_.options.global_memory) {
        memory.use = std::string(memory_component) + "_*";
        by_component[std::string(memory_component)].push_back(&memory);
    }
    for (const auto& [component, uses] : by_component) {
        if (component == memory_component && !agent_.options.global_memory)
            drop(uses, "memory is offered where the agent's globalMemory is true");
        else
            FOXWEDGE_CHECK(capability(component, uses));
    }
    return {};
}

Status Gathering::discovered(const Discovered& server) {
    if (!server.unavailable.empty())
        table.warnings.push_back("server \"" + server.server +
                                 "\" contributes no tools: " + server.unavailable);
    for (const Discovered::One& one : server.tools) {
        FrozenTool frozen;
        frozen.origin = Origin::mcp;
        frozen.source = server.server;
        frozen.definition = one.definition;
        // An agent may say more about a server's tool by its id.
        Stated stated = one.stated;
        const std::string id = mcp_tool_id(server.server, one.definition.name, {});
        for (const ToolOptions& use : agent_.options.tools) {
            if (use.use != id || (!use.requires_approval && !use.approval)) continue;
            stated = Stated();
            stated.requires_approval = use.requires_approval;
            stated.own = use.approval;
        }
        FOXWEDGE_CHECK(offer(std::move(frozen), one.definition.name, stated));
    }
    for (const auto& one : server.dropped)
        table.dropped.push_back({server.server + "/" + one.name, one.reason});
    for (const auto& one : server.warnings)
        table.warnings.push_back("server \"" + server.server + "\": " + one);
    table.sections.insert(table.sections.end(), server.sections.begin(), server.sections.end());
    return {};
}

Status Gathering::finish() {
    FOXWEDGE_TRY(tools, merged(std::move(offered_)));
    table.tools = std::move(tools);
    std::stable_sort(table.sections.begin(), table.sections.end(),
                     [](const auto& a, const auto& b) { return a.id < b.id; });
    for (std::size_t k = 0; k < agent_.options.guardrails.size(); ++k) {
        const GuardrailUse& use = agent_.options.guardrails[k];
        auto& list = table.guardrail_placements[guardrail_label(
            static_cast<int>(k), use.name.empty() ? use.use : use.name)];
        if (use.placements) {
            list = *use.placements;
            continue;
        }
        if (!world_.guardrail)
            return permanent("unknown_guardrail", use.use + ": no guardrails here");
        FOXWEDGE_TRY(guardrail, world_.guardrail(use));
        for (const Placement where :
             {Placement::input, Placement::tool_args, Placement::tool_result, Placement::output})
            if (guardrail->placements() & static_cast<std::uint32_t>(where))
                list.emplace_back(to_string(where));
    }
    return {};
}

void Gathering::note_build(std::string_view kind, const std::string& component) {
    auto build = world_.build(kind, component);
    if (!build) return;
    JsonObject note{{"kind", kind}, {"component", component}};
    note["build"] = *std::move(build);
    table.builds.push_back(std::move(note));
}

void Gathering::note_builds(const std::string& provider) {
    if (!world_.build) return;
    if (!agent_.provider) note_build("provider", provider);
    for (const std::string& component : listed_) note_build("capability", component);
    std::set<std::string> guardrails;
    for (const GuardrailUse& use : agent_.options.guardrails) guardrails.insert(use.use);
    for (const std::string& one : guardrails) note_build("guardrail", one);
    if (const auto strategy = string_member(agent_.options.context, "strategy"))
        note_build("strategy", std::string(*strategy));
}

Result<ProviderTraits> described(const Agent& agent, const std::string& name, World& world,
                                 Call& call) {
    if (agent.provider) return agent.provider->describe(call);
    if (name.empty())
        return permanent(
            "unknown_provider",
            "no provider is named: set `provider` in the config, for the host or this agent");
    if (!world.provider) return permanent("unknown_provider", "this host has no providers");
    FOXWEDGE_TRY(provider, world.provider(name));
    return provider->describe(call);
}

Json question(const Agent& agent, const std::vector<Tool>& own, const std::string& provider) {
    JsonArray tools, servers;
    for (const ToolOptions& use : agent.options.tools)
        tools.push_back(Json(use.use.empty() ? use.name : use.use));
    for (const Tool& tool : own) tools.push_back(Json(tool.options.name));
    for (const McpServerUse& server : agent.options.mcp_servers)
        servers.push_back(Json(server.name));
    JsonObject out{{"provider", provider}};
    out["tools"] = std::move(tools);
    out["mcpServers"] = std::move(servers);
    return out;
}

} // namespace

std::string provider_name(const Agent& agent, const World& world) {
    if (agent.provider) return agent.options.provider;
    return agent.options.provider.empty() ? world.default_provider : agent.options.provider;
}

Result<std::vector<Discovered>> discover_all(run::Run& run, std::string_view id, const Agent& agent,
                                             World& world) {
    std::vector<Discovered> servers;
    const RetryPolicy retry = agent.options.retry.value_or(world.retry);
    for (const McpServerUse& use : agent.options.mcp_servers) {
        FOXWEDGE_TRY(found, discover(run, id, use, retry, world));
        FOXWEDGE_CHECK(guard_definitions(run, id, agent.options.guardrails, found, world));
        servers.push_back(std::move(found));
    }
    return servers;
}

Result<Frozen> freeze_tools(run::Run& run, std::string_view id, const Agent& agent,
                            const std::vector<Tool>& own, const std::vector<Discovered>& servers,
                            World& world) {
    const std::string provider = provider_name(agent, world);
    run::StepOptions options;
    options.kind = "tools";
    options.inputs = question(agent, own, provider);
    options.retry = agent.options.retry.value_or(world.retry);
    const std::string name = tools_step(id);
    FOXWEDGE_TRY(value, run.step(name, options, [&](run::StepCall& step) -> Result<run::StepValue> {
        ContractCall call(run, step, name, id, world);
        Gathering all(agent, world, call.call());
        FOXWEDGE_TRY(traits, described(agent, provider, world, call.call()));
        all.table.provider = provider;
        all.table.traits = std::move(traits);
        all.table.model = agent.options.model;
        if (all.table.model.empty() && world.model_of) all.table.model = world.model_of(provider);
        for (const Tool& tool : own) FOXWEDGE_CHECK(all.own(tool));
        FOXWEDGE_CHECK(all.capabilities());
        for (const Discovered& server : servers) FOXWEDGE_CHECK(all.discovered(server));
        FOXWEDGE_CHECK(all.finish());
        all.note_builds(provider);
        return run::StepValue{to_text(to_json(all.table))};
    }));
    FOXWEDGE_TRY(record, parse_json(value.value_json));
    FOXWEDGE_TRY(table, tool_table_from_json(record));
    return Frozen{std::move(table), sha256(value.value_json)};
}

} // namespace foxwedge::agent
