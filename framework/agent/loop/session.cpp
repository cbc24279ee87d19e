#include "agent/loop/session.hpp"

#include "agent/calls/tool_ids.hpp"
#include "agent/context/tokens.hpp"
#include "agent/rendering.hpp"
#include "agent/step_call.hpp"

namespace foxwedge::agent {
namespace {

std::string system_text(const AgentOptions& options, const ToolTable& table) {
    std::string out = options.instructions;
    for (const PromptSection& section : table.sections) {
        if (!out.empty()) out += "\n\n";
        out += section.text;
    }
    return out;
}

GenerateRequest constant_part(const AgentOptions& options, const ToolTable& table) {
    GenerateRequest request;
    request.model = options.model.empty() ? table.model : options.model;
    request.system = system_text(options, table);
    for (const FrozenTool& tool : table.tools)
        request.tools.push_back(
            {tool.id, tool.definition.description, tool.definition.input_schema});
    request.tool_choice = options.tool_choice;
    request.max_tokens = options.max_tokens;
    request.temperature = options.temperature;
    request.options = options.provider_options;
    return request;
}

/// Tools and sections come in by the record's digest, so that a long list is not hashed each time.
Digest head_digest(const AgentOptions& options, const std::string& provider,
                   const std::string& model, const Digest& tools) {
    JsonObject head{{"derivation", derivation_version},
                    {"provider", provider},
                    {"model", model},
                    {"instructions", options.instructions},
                    {"toolChoice", options.tool_choice},
                    {"output", options.output},
                    {"outputMode", options.output_mode},
                    {"options", options.provider_options}};
    if (options.max_tokens) head["maxTokens"] = *options.max_tokens;
    if (options.temperature) head["temperature"] = *options.temperature;
    return sha256(canonical_text(head), bytes_of(tools));
}

/// The agents around a child run's own, from its labels.
std::vector<std::string> agents_around(const journal::RunHead& head) {
    std::vector<std::string> out;
    const auto labels = parse_json(head.labels_json.empty() ? "{}" : head.labels_json);
    const JsonArray* agents = labels ? array_member(*labels, "agentPath") : nullptr;
    if (!agents) return out;
    for (const Json& id : *agents)
        if (id.is_string()) out.emplace_back(view(id.get_string()));
    return out;
}

std::vector<BudgetHolder> budgets_over(const run::Run& run, const Agent& agent) {
    auto out = agent.budgets;
    if (agent.options.budget) out.push_back({run.id(), *agent.options.budget});
    return out;
}

template <class Map>
auto find_in(const Map& map, const std::string& key) -> const typename Map::mapped_type* {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
}

} // namespace

Session::Session(run::Run& run, std::string id_, const Agent& agent_, std::vector<Tool> own,
                 Frozen frozen, World& world_)
    : id(std::move(id_)), agent(agent_), options(agent_.options), world(world_),
      table(std::move(frozen.table)), scope(scope_of(run.head(), id, world_.project)),
      guards(options.guardrails, table.guardrail_placements),
      ledger(world_, budgets_over(run, agent_)), path(agent_.path), own_(std::move(own)) {
    if (path.empty()) path = agents_around(run.head());
    path.push_back(id);
    request_ = constant_part(options, table);
    head_ = head_digest(options, provider_name(agent, world), request_.model, frozen.digest);
}

Result<std::unique_ptr<Session>> Session::make(run::Run& run, std::string id, const Agent& agent,
                                               std::vector<Tool> own, Frozen frozen, World& world) {
    std::unique_ptr<Session> session(
        new Session(run, std::move(id), agent, std::move(own), std::move(frozen), world));
    FOXWEDGE_CHECK(session->compile_rules());
    FOXWEDGE_CHECK(session->choose_output());
    FOXWEDGE_CHECK(session->check_budget());
    session->tell_tools_in_text();
    if (!session->options.context.is_null())
        session->meter = Meter(estimated_tokens(session->request_));
    return session;
}

Status Session::choose_output() {
    if (options.output.is_null()) return {};
    if (options.output_mode == "tool") {
        output = OutputWay::tool;
        request_.tools.push_back({std::string(output_tool),
                                  "Gives the final answer. Call it alone, when nothing is open.",
                                  options.output});
        request_.tool_choice =
            request_.tools.size() > 1 ? Json("required") : Json(JsonObject{{"name", output_tool}});
        return {};
    }
    switch (table.traits.structured_output) {
    case StructuredOutput::none:
        return permanent("output_unsupported",
                         "provider \"" + table.provider +
                             "\" cannot constrain its answer: set outputMode to \"tool\"");
    case StructuredOutput::final_:
        if (!request_.tools.empty()) {
            output = OutputWay::afterwards;
            return {};
        }
        break;
    case StructuredOutput::always:
        break;
    }
    output = OutputWay::constrained;
    request_.output = JsonObject{{"schema", options.output}, {"name", "answer"}};
    return {};
}

void Session::tell_tools_in_text() {
    if (!speaks_text() || request_.tools.empty()) return;
    if (!request_.system.empty()) request_.system += "\n\n";
    request_.system += tools_as_text(request_.tools);
    request_.tools.clear();
    request_.tool_choice = "none";
}

Status Session::check_budget() const {
    if (!ledger.in_money()) return {};
    if (world.price && world.price(request_.model)) return {};
    return permanent(
        "missing_price",
        "`budget.usd` needs to know what a call costs, but " +
            (request_.model.empty()
                 ? "the agent names no model: set `model` on it or its provider, and "
                   "its price in `prices`"
                 : "`prices` in the config has no entry for the model \"" + request_.model + "\""));
}

void Session::fill_messages(const Transcript& history) {
    std::vector<Message>& messages = request_.messages;
    const auto& groups = history.groups();
    std::size_t fresh = messages.size();
    if (!options.context.is_null()) {
        messages = context.messages(history);
        fresh = 0;
    } else {
        if (messages.empty()) messages = history.task();
        for (; filled_ < groups.size(); ++filled_) {
            messages.push_back(groups[filled_].assistant);
            if (groups[filled_].reply) messages.push_back(*groups[filled_].reply);
        }
    }
    for (std::size_t i = fresh; i < messages.size(); ++i) {
        strip_foreign_opaque(messages[i], table.traits.transcript_format, request_.model);
        if (speaks_text()) messages[i] = as_text(messages[i]);
    }
}

void Session::go_on_from(Session& earlier) {
    wire_ids = std::move(earlier.wire_ids);
    context = std::move(earlier.context);
    meter = earlier.meter;
    extra = earlier.extra;
}

Status Session::compile_rules() {
    for (const FrozenTool& tool : table.tools) {
        if (tool.approval.rule) {
            FOXWEDGE_TRY(rule, CompiledApproval::compile(*tool.approval.rule, world.rules));
            approvals_.emplace(tool.id, std::move(rule));
        }
        if (tool.shadow.rule) {
            FOXWEDGE_TRY(rule, CompiledApproval::compile(*tool.shadow.rule, world.rules));
            shadows_.emplace(tool.id, std::move(rule));
        }
        const ToolOptions* own = settings(tool.id);
        if (!own || own->to_model_output.empty()) continue;
        if (!world.rules)
            return permanent("invalid_rule", "this host evaluates no projections: tool \"" +
                                                 tool.id + "\" has a toModelOutput");
        FOXWEDGE_TRY(projection, world.rules->compile(own->to_model_output, {"output"}));
        projections_.emplace(tool.id, std::move(projection));
    }
    return {};
}

const Tool* Session::own_tool(const std::string& tool_id) const {
    for (const Tool& tool : own_)
        if (tool.options.name == tool_id) return &tool;
    return nullptr;
}

const ToolOptions* Session::settings(const std::string& name) const {
    if (const Tool* tool = own_tool(name)) return &tool->options;
    const FrozenTool* const shown = table.find(name);
    const std::string tool_id = shown ? catalogue_id(*shown) : name;
    for (const ToolOptions& use : options.tools)
        if (use.use == tool_id) return &use;
    const std::string all = std::string(component_of(tool_id)) + "_*";
    for (const ToolOptions& use : options.tools)
        if (use.use == all) return &use;
    return nullptr;
}

const CompiledApproval* Session::approval(const std::string& tool_id) const {
    return find_in(approvals_, tool_id);
}
const CompiledApproval* Session::shadow(const std::string& tool_id) const {
    return find_in(shadows_, tool_id);
}

const CompiledRule* Session::projection(const std::string& tool_id) const {
    const auto found = projections_.find(tool_id);
    return found == projections_.end() ? nullptr : found->second.get();
}

RetryPolicy Session::retry_for(const std::string& tool_id) const {
    const ToolOptions* own = settings(tool_id);
    return own && own->retry ? *own->retry : retry();
}

Result<std::shared_ptr<Provider>> Session::provider() const {
    if (agent.provider) return agent.provider;
    if (!world.provider) return permanent("unknown_provider", "this host has no providers");
    return world.provider(provider_name(agent, world));
}

} // namespace foxwedge::agent
