#include "plugin/registry.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "base/text.hpp"
#include "plugin/adapters.hpp"
#include "plugin/config.hpp"
#include "plugin/instances.hpp"
#include "plugin/refusal.hpp"
#include "plugin/search.hpp"

namespace foxwedge::plugin {
namespace {

/// A plugin on the path and, once it is used, its opened library.
struct Known {
    Row row;
    std::string folder, name;
    std::shared_ptr<Opened> opened;
    FileStamp seen{}; // of the file that lies there now, which may be a bad successor
};

Error failed_digest(const std::string& wanted, const std::string& found) {
    return refusal("wrong_digest",
                   "its SHA-256 is " + found + ", the configuration asks for " + wanted,
                   "restore the file, or change \"sha256\" if you trust this one");
}

} // namespace

struct Registry::State {
    RegistryOptions options;
    Runtime runtime;
    mutable std::mutex mutex;
    std::vector<Row> rows;
    std::vector<Known> plugins; // in search order, shadowed ones left out
    // By plugin digest, kind, component and configuration.
    std::map<std::string, std::shared_ptr<Instances>> endpoints;

    std::vector<std::string> look();
    std::vector<std::string> take_over(std::vector<Known> fresh);
    Known* find(std::string_view kind, std::string_view id);
    const PluginUse* use_of(const std::string& plugin_id) const;
    Result<std::shared_ptr<Opened>> opened(Known&);
    Result<std::shared_ptr<Endpoint>> endpoint(std::string_view kind, std::string_view id,
                                               const Json& config);
    Error unknown(std::string_view kind, std::string_view id) const;
};

std::vector<std::string> Registry::State::look() {
    auto found = list(options.folders, false);
    std::vector<Known> fresh;
    for (const auto& candidate : candidates(options.folders)) {
        const auto path = candidate.path();
        const auto row =
            std::find_if(found.begin(), found.end(), [&](const Row& r) { return r.path == path; });
        if (row != found.end() && row->shadowed_by.empty())
            fresh.push_back({*row, candidate.folder, candidate.name, nullptr, row->stamp});
    }
    std::lock_guard lock(mutex);
    rows = std::move(found);
    return take_over(std::move(fresh));
}

std::vector<std::string> Registry::State::take_over(std::vector<Known> fresh) {
    std::vector<std::string> changed;
    for (auto& now : fresh) {
        const auto before = std::find_if(plugins.begin(), plugins.end(),
                                         [&](const Known& k) { return k.row.id == now.row.id; });
        const bool is_new = before == plugins.end();
        const bool same = !is_new && before->row.path == now.row.path && before->seen == now.seen;
        if (!same) changed.push_back(now.row.id);
        // A bad file in the place of a plugin that is in use: the loaded one goes on.
        if (!is_new && (same || (!now.row.usable() && before->opened))) {
            before->seen = now.seen;
            now = std::move(*before);
        }
        if (!is_new) plugins.erase(before);
    }
    for (const auto& gone : plugins) changed.push_back(gone.row.id);
    plugins = std::move(fresh);
    // Instances of replaced builds live on with those who hold them, and serve nobody new.
    std::erase_if(endpoints, [&](const auto& entry) {
        return std::none_of(plugins.begin(), plugins.end(), [&](const Known& known) {
            return known.opened.get() == &entry.second->plugin();
        });
    });
    std::sort(changed.begin(), changed.end());
    return changed;
}

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
    return permanent("unknown_component", std::move(message));
}

Result<std::shared_ptr<Opened>> Registry::State::opened(Known& known) {
    if (known.opened) return known.opened;
    const auto load = [&]() -> Result<std::shared_ptr<Opened>> {
        FOXWEDGE_TRY(file, open_plugin_file(known.folder, known.name));
        FOXWEDGE_TRY(inspected, inspect(file.fd.get(), known.row.id));
        FOXWEDGE_TRY(digest, digest_of(file.fd.get()));
        const auto* use = use_of(known.row.id);
        if (options.lock) FOXWEDGE_CHECK(options.lock->admits(known.row.id, digest));
        if (use && !use->sha256.empty() && lower_ascii(use->sha256) != to_hex(digest))
            return failed_digest(use->sha256, to_hex(digest));
        return Opened::open(runtime, file, std::move(inspected), digest,
                            options.state_folder + "/plugins");
    };
    auto made = load();
    if (!made) return about_file(made.error(), known.row.path);
    known.opened = *made;
    known.row.digest = known.opened->digest();
    // What was opened, which may be newer than what was listed.
    known.row.descriptor = known.opened->descriptor();
    if (runtime.lent.log)
        runtime.lent.log->debug("plugin", "loaded",
                                {{"id", known.row.id},
                                 {"version", known.opened->descriptor().version},
                                 {"sha256", to_hex(known.opened->digest())}});
    return known.opened;
}

Result<std::shared_ptr<Endpoint>>
Registry::State::endpoint(std::string_view kind, std::string_view id, const Json& config) {
    std::lock_guard lock(mutex);
    auto* known = find(kind, id);
    if (!known) return unknown(kind, id);
    const auto* use = use_of(known->row.id);
    // Running it in process instead would break the promise that the configuration makes.
    if (use && use->isolated)
        return permanent("not_isolatable",
                         "this host cannot run the plugin " + known->row.id +
                             " out of process; take \"isolation\" away to run it in process");
    FOXWEDGE_TRY(full, checked_config(*known->row.descriptor->find(kind, id),
                                      config.is_null() && use ? use->config : config));
    FOXWEDGE_TRY(plugin, opened(*known));
    const auto key = to_hex(plugin->digest()) + " " + std::string(kind) + " " + std::string(id) +
                     " " + canonical_text(full);
    if (const auto it = endpoints.find(key); it != endpoints.end())
        return std::shared_ptr<Endpoint>(it->second);
    auto made = Instances::make(plugin, *plugin->descriptor().find(kind, id), full,
                                is_shipped(known->folder));
    if (!made) return about_file(made.error(), known->row.path);
    endpoints.emplace(key, *made);
    return std::shared_ptr<Endpoint>(*made);
}

Registry::Registry(std::unique_ptr<State> state) : state_(std::move(state)) {}
Registry::~Registry() = default;

Result<std::unique_ptr<Registry>> Registry::open(RegistryOptions options) {
    auto state = std::make_unique<State>();
    state->runtime.lent = options.lent;
    state->runtime.masking = std::make_shared<Masking>(options.lent.mask);
    state->runtime.limits = options.limits;
    state->options = std::move(options);
    state->look();
    return std::unique_ptr<Registry>(new Registry(std::move(state)));
}

std::vector<std::string> Registry::refresh() {
    return state_->look();
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
