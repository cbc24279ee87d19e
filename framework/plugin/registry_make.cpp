// From a plugin's file to an endpoint, in this process or in a box.
#include "base/text.hpp"
#include "plugin/access.hpp"
#include "plugin/config.hpp"
#include "plugin/instances.hpp"
#include "plugin/private_copy.hpp"
#include "plugin/refusal.hpp"
#include "plugin/registry_state.hpp"
#include "plugin/search.hpp"

namespace foxwedge::plugin {
namespace {

Error failed_digest(const std::string& wanted, const std::string& found) {
    return refusal("wrong_digest",
                   "its SHA-256 is " + found + ", the configuration asks for " + wanted,
                   "restore the file, or change \"sha256\" if you trust this one");
}

} // namespace

Result<Admitted> Registry::State::admitted(const Known& known) const {
    Admitted made;
    FOXWEDGE_TRY(file, open_plugin_file(known.folder, known.name));
    made.file = std::move(file);
    FOXWEDGE_TRY(inspected, inspect(made.file.fd.get(), known.row.id));
    made.inspected = std::move(inspected);
    FOXWEDGE_TRY(digest, digest_of(made.file.fd.get()));
    made.digest = digest;
    if (lock) FOXWEDGE_CHECK(lock->admits(known.row.id, digest));
    const auto* use = use_of(known.row.id);
    if (use && !use->sha256.empty() && lower_ascii(use->sha256) != to_hex(digest))
        return failed_digest(use->sha256, to_hex(digest));
    return made;
}

Status Registry::State::still_locked(const Known& known) const {
    if (!lock || !known.in_use()) return {};
    auto fit =
        lock->admits(known.row.id, known.opened ? known.opened->digest() : known.boxed->digest);
    return fit ? Status() : Status(about_file(fit.error(), known.row.path));
}

Result<std::shared_ptr<Opened>> Registry::State::opened(Known& known) {
    FOXWEDGE_CHECK(still_locked(known));
    if (known.opened) return known.opened;
    const auto load = [&]() -> Result<std::shared_ptr<Opened>> {
        FOXWEDGE_TRY(from, admitted(known));
        return Opened::open(runtime, from.file, std::move(from.inspected), from.digest,
                            options.state_folder + "/plugins");
    };
    auto made = load();
    if (!made) return about_file(made.error(), known.row.path);
    known.opened = *made;
    note_loaded(known, known.opened->descriptor(), known.opened->digest());
    return known.opened;
}

Result<std::shared_ptr<const BoxBuild>> Registry::State::boxed(Known& known) {
    FOXWEDGE_CHECK(still_locked(known));
    if (known.boxed) return known.boxed;
    const auto take_over = [&]() -> Result<std::shared_ptr<const BoxBuild>> {
        FOXWEDGE_TRY(from, admitted(known));
        const auto name = to_hex(from.digest) + ".so";
        FOXWEDGE_TRY(copy, private_copy(from.file.fd.get(), from.digest,
                                        options.state_folder + "/plugins", name));
        return std::make_shared<const BoxBuild>(
            BoxBuild{std::move(from.inspected.descriptor), from.digest, std::move(copy)});
    };
    auto made = take_over();
    if (!made) return about_file(made.error(), known.row.path);
    known.boxed = *made;
    note_loaded(known, known.boxed->descriptor, known.boxed->digest);
    return known.boxed;
}

void Registry::State::note_loaded(Known& known, const Descriptor& descriptor,
                                  const Digest& digest) {
    // What was opened, which may be newer than what was listed.
    known.row.digest = digest;
    known.row.descriptor = descriptor;
    if (runtime.lent.log)
        runtime.lent.log->debug("plugin", "loaded",
                                {{"id", known.row.id},
                                 {"version", descriptor.version},
                                 {"sha256", to_hex(digest)},
                                 {"isolation", known.boxed ? "process" : "in-process"}});
}

Result<std::unique_ptr<BoxSetting>>
Registry::State::box_setting(const Known& known, const Component& component, const Json& config) {
    const auto& build = *known.boxed;
    FOXWEDGE_TRY(program, process::find_libexec("plugin-box"));
    auto setting = std::make_unique<BoxSetting>(BoxSetting{*options.children, runtime});
    setting->command.program = program;
    setting->command.memory_bytes = options.box.memory_bytes;
    setting->command.cpu_seconds = options.box.cpu_seconds;
    setting->opening = {build.copy,
                        to_hex(build.digest),
                        known.row.id,
                        component.kind,
                        component.id,
                        foxwedge::to_text(config),
                        runtime.limits.open.count(),
                        runtime.limits.create.count(),
                        runtime.lent.http != nullptr};
    setting->access = std::make_shared<const http::Caller>(
        access_of(component, config, is_shipped(known.folder), runtime.lent, runtime.masking));
    setting->backend = make_local_backend(known.row.id, runtime.lent, runtime.masking);
    setting->name = "plugin " + known.row.id;
    return setting;
}

Result<Made> Registry::State::make(Known& known, std::string_view kind, std::string_view id,
                                   const Json& config) {
    const auto* use = use_of(known.row.id);
    if (!use || !use->isolated) {
        FOXWEDGE_TRY(plugin, opened(known));
        FOXWEDGE_TRY(instances, Instances::make(plugin, *plugin->descriptor().find(kind, id),
                                                config, is_shipped(known.folder)));
        return Made{instances, plugin.get()};
    }
    // Running it in process instead would break the promise that the configuration makes.
    if (!is_isolatable(kind) || !options.children)
        return refusal("not_isolatable",
                       "a " + std::string(kind) + " cannot run in a process of its own here",
                       "take \"isolation\" away to run it in process");
    FOXWEDGE_TRY(build, boxed(known));
    const auto& component = *build->descriptor.find(kind, id);
    FOXWEDGE_TRY(setting, box_setting(known, component, config));
    FOXWEDGE_TRY(endpoint, Boxed::make(build, component, std::move(setting)));
    return Made{endpoint, build.get()};
}

Result<std::shared_ptr<Endpoint>>
Registry::State::endpoint(std::string_view kind, std::string_view id, const Json& config) {
    std::lock_guard held(mutex);
    auto* known = find(kind, id);
    if (!known) return unknown(kind, id);
    FOXWEDGE_CHECK(still_locked(*known));
    // Each run asks, mostly for the same: then nothing is checked and completed again.
    constexpr std::size_t most_asked = 256;
    const auto name = known->row.id + " " + std::string(kind) + " " + std::string(id) + " ";
    const auto question = name + foxwedge::to_text(config);
    if (const auto before = asked.find(question); before != asked.end())
        if (const auto it = endpoints.find(before->second); it != endpoints.end())
            return it->second.endpoint;
    const auto* use = use_of(known->row.id);
    FOXWEDGE_TRY(full, checked_config(*known->row.descriptor->find(kind, id),
                                      config.is_null() && use ? use->config : config));
    const auto key = name + canonical_text(full);
    if (!endpoints.contains(key)) {
        auto made = make(*known, kind, id, full);
        if (!made) return about_file(made.error(), known->row.path);
        endpoints.emplace(key, *std::move(made));
    }
    if (asked.size() >= most_asked) asked.clear();
    asked[question] = key;
    return endpoints.at(key).endpoint;
}

} // namespace foxwedge::plugin
