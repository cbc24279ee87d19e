#include "plugin/registry.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "plugin/adapters.hpp"
#include "plugin/refusal.hpp"
#include "plugin/registry_state.hpp"
#include "plugin/search.hpp"

namespace foxwedge::plugin {

Known* Registry::State::find(std::string_view kind, std::string_view id) {
    for (auto& known : plugins)
        if (known.row.usable() && known.row.descriptor->find(kind, id)) return &known;
    return nullptr;
}

const PluginUse* Registry::State::use_of(const std::string& plugin_id) const {
    for (const auto& use : options.uses)
        if (use.id == plugin_id) return &use;
    return nullptr;
}

Error Registry::State::unknown(std::string_view kind, std::string_view id) const {
    // A refused file of a likely name is the better explanation.
    for (const auto& row : rows)
        if (row.refusal && row.shadowed_by.empty() && !row.id.empty() &&
            (row.id == id || row.id.ends_with("-" + std::string(id)) ||
             (row.descriptor && row.descriptor->find(kind, id))))
            return *row.refusal;
    std::vector<std::string> ids;
    for (const auto& known : plugins)
        if (known.row.usable())
            for (const auto& c : known.row.descriptor->components)
                if (c.kind == kind) ids.push_back(c.id);
    auto message =
        "no plugin on the path has a " + std::string(kind) + " called " + std::string(id);
    if (const auto near = nearest(id, ids); !near.empty())
        message += "; did you mean " + std::string(near) + "?";
    return permanent("unknown_component", message + searched(options.folders));
}

Result<Known*> Registry::State::by_id(std::string_view plugin_id) {
    std::vector<std::string> ids;
    for (auto& known : plugins) {
        if (known.row.id == plugin_id && known.row.refusal) return *known.row.refusal;
        if (known.row.id == plugin_id) return &known;
        ids.push_back(known.row.id);
    }
    auto message = "there is no plugin " + std::string(plugin_id) + " on the path";
    if (const auto near = nearest(plugin_id, ids); !near.empty())
        message += "; did you mean " + std::string(near) + "?";
    return permanent("unknown_plugin", message + searched(options.folders));
}

Registry::Registry(std::unique_ptr<State> state) : state_(std::move(state)) {}
Registry::~Registry() = default;

Result<std::unique_ptr<Registry>> Registry::open(RegistryOptions options) {
    auto state = std::make_unique<State>();
    state->runtime.lent = options.lent;
    state->runtime.masking = std::make_shared<Masking>(options.lent.mask);
    state->runtime.limits = options.limits;
    state->options = std::move(options);
    FOXWEDGE_CHECK(state->read_lock_file());
    state->look();
    return std::unique_ptr<Registry>(new Registry(std::move(state)));
}

std::vector<std::string> Registry::refresh() {
    if (auto read = state_->read_lock_file(); !read && state_->options.lent.log)
        state_->options.lent.log->warn("plugin", "the lock stays as it was",
                                       {{"why", read.error().message}});
    return state_->look();
}

Status Registry::load(std::string_view plugin_id) {
    std::lock_guard lock(state_->mutex);
    FOXWEDGE_TRY(known, state_->by_id(plugin_id));
    const auto* use = state_->use_of(known->row.id);
    if (use && use->isolated)
        FOXWEDGE_CHECK(state_->boxed(*known));
    else
        FOXWEDGE_CHECK(state_->opened(*known));
    return {};
}

Status Registry::judge(std::string_view plugin_id) {
    std::lock_guard lock(state_->mutex);
    FOXWEDGE_TRY(known, state_->by_id(plugin_id));
    auto made = state_->admitted(*known);
    if (!made) return about_file(made.error(), known->row.path);
    return {};
}

Result<std::shared_ptr<Provider>> Registry::provider(std::string_view id, const Json& config) {
    FOXWEDGE_TRY(endpoint, state_->endpoint(provider_kind, id, config));
    return make_provider(endpoint);
}
Result<std::shared_ptr<ToolSource>> Registry::capability(std::string_view id, const Json& config) {
    FOXWEDGE_TRY(endpoint, state_->endpoint(capability_kind, id, config));
    return make_tool_source(endpoint);
}
Result<std::shared_ptr<Guardrail>> Registry::guardrail(std::string_view id, const Json& config) {
    FOXWEDGE_TRY(endpoint, state_->endpoint(guardrail_kind, id, config));
    return make_guardrail(endpoint);
}
Result<std::shared_ptr<ContextStrategy>> Registry::context_strategy(std::string_view id,
                                                                    const Json& config) {
    FOXWEDGE_TRY(endpoint, state_->endpoint(context_strategy_kind, id, config));
    return make_context_strategy(endpoint);
}

std::optional<Registry::Found> Registry::find(std::string_view kind, std::string_view id) const {
    std::lock_guard lock(state_->mutex);
    const auto* known = state_->find(kind, id);
    if (!known) return std::nullopt;
    const auto& d = *known->row.descriptor;
    return Found{*d.find(kind, id),
                 {d.id, d.version, known->row.digest ? to_hex(*known->row.digest) : ""},
                 known->row.path};
}

std::optional<std::string> Registry::plugin_with(std::string_view kind, std::string_view id,
                                                 std::string_view setting) const {
    std::lock_guard lock(state_->mutex);
    const auto* known = state_->find(kind, id);
    if (!known) return std::nullopt;
    const auto* const settings =
        object_member(known->row.descriptor->find(kind, id)->config_schema, "properties");
    if (!settings || !settings->contains(setting)) return std::nullopt;
    return known->row.descriptor->id;
}

std::vector<std::string> Registry::ids(std::string_view kind) const {
    std::lock_guard lock(state_->mutex);
    std::vector<std::string> ids;
    for (const auto& known : state_->plugins)
        if (known.row.usable())
            for (const auto& c : known.row.descriptor->components)
                if (c.kind == kind) ids.push_back(c.id);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

std::vector<Row> Registry::rows() const {
    std::lock_guard lock(state_->mutex);
    return state_->rows;
}

Result<Build> Registry::build_of(std::string_view kind, std::string_view id) {
    std::lock_guard lock(state_->mutex);
    auto* known = state_->find(kind, id);
    if (!known) return state_->unknown(kind, id);
    if (!known->row.digest) {
        FOXWEDGE_TRY(file, open_plugin_file(known->folder, known->name));
        FOXWEDGE_TRY(digest, digest_of(file.fd.get()));
        known->row.digest = digest;
    }
    const auto& d = *known->row.descriptor;
    return Build{d.id, d.version, to_hex(*known->row.digest)};
}

std::string Registry::masked(std::string_view text) const {
    return state_->runtime.masking->masked(text);
}

int Registry::abandoned_calls() const {
    return state_->runtime.abandoned;
}

Json to_json(const Build& build) {
    return JsonObject{{"id", build.id}, {"version", build.version}, {"sha256", build.sha256}};
}

} // namespace foxwedge::plugin
