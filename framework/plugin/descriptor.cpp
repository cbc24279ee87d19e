#include "plugin/descriptor.hpp"

#include <algorithm>
#include <set>

#include <foxwedge/abi.h>

#include "plugin/refusal.hpp"

namespace foxwedge::plugin {
namespace {

constexpr std::size_t longest_id = 64;
constexpr std::size_t largest_descriptor = 1 << 20;

Error bad(const std::string& what) {
    return refusal("bad_descriptor", "its descriptor " + what,
                   "mend descriptor.json and build it again");
}

/// "1.2", "9.0": two versions in one sentence.
std::string version_text(std::int64_t major, std::int64_t minor) {
    return std::to_string(major) + "." + std::to_string(minor);
}

Status read_abi(const Json& root, Descriptor& d) {
    const auto* abi = member(root, "abi");
    const auto major = abi ? integer_member(*abi, "major") : std::nullopt;
    const auto minor = abi ? integer_member(*abi, "minMinor") : std::nullopt;
    if (!major || *major < 0 || minor.value_or(0) < 0)
        return bad("does not say which ABI it needs (\"abi\": {\"major\", \"minMinor\"})");
    if (*major != FOXWEDGE_ABI_MAJOR || minor.value_or(0) > FOXWEDGE_ABI_MINOR)
        return refusal("wrong_abi",
                       "it needs ABI " + version_text(*major, minor.value_or(0)) +
                           ", this host speaks " +
                           version_text(FOXWEDGE_ABI_MAJOR, FOXWEDGE_ABI_MINOR),
                       *major < static_cast<std::int64_t>(FOXWEDGE_ABI_MAJOR)
                           ? "get a newer build of the plugin"
                           : "use a newer foxwedge, or an older build of the plugin");
    d.abi_major = static_cast<unsigned>(*major);
    d.abi_min_minor = static_cast<unsigned>(minor.value_or(0));
    return {};
}

Result<Component> read_component(const Json& json, std::size_t index) {
    const auto where = "component " + std::to_string(index);
    if (!json.is_object()) return bad("has a " + where + " that is no object");
    Component c;
    c.kind = string_member(json, "kind").value_or("");
    c.id = string_member(json, "id").value_or("");
    c.title = string_member(json, "title").value_or("");
    c.transcript_format = string_member(json, "transcriptFormat").value_or("");
    if (c.kind.empty()) return bad("has no kind in its " + where);
    if (!is_plugin_id(c.id)) return bad("has no usable id in its " + where);
    if (const auto* schema = member(json, "configSchema"); schema && !schema->is_null()) {
        if (!schema->is_object() && !schema->is_bool())
            return bad("has a configSchema in its " + where + " that is no schema");
        c.config_schema = *schema;
    }
    const auto most = integer_member(json, "maxInstances").value_or(0);
    if (most < 0 || most > 1'000'000) return bad("has an odd maxInstances in its " + where);
    c.max_instances = static_cast<int>(most);
    if (const auto* secrets = array_member(json, "secrets"))
        for (const auto& secret : *secrets) {
            if (!secret.is_string()) return bad("names a secret that is no text");
            c.secrets.emplace_back(view(secret.as_string()));
        }
    return c;
}

} // namespace

bool is_known_kind(std::string_view kind) {
    return kind == capability_kind || kind == provider_kind || kind == guardrail_kind ||
           kind == context_strategy_kind;
}
bool is_isolatable(std::string_view kind) {
    return kind == capability_kind || kind == provider_kind;
}

bool is_plugin_id(std::string_view id) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return !id.empty() && id.size() <= longest_id && letter(id[0]) &&
           std::all_of(id.begin(), id.end(), [&](char c) { return letter(c) || c == '-'; });
}

const Component* Descriptor::find(std::string_view kind, std::string_view component_id) const {
    for (const auto& c : components)
        if (c.kind == kind && c.id == component_id) return &c;
    return nullptr;
}

Result<Descriptor> descriptor_from_text(std::string_view text) {
    JsonLimits limits;
    limits.bytes = largest_descriptor;
    const auto root = parse_json(text, limits);
    if (!root) return bad("is no JSON: " + root.error().message);
    if (!root->is_object()) return bad("is no JSON object");
    Descriptor d;
    // First of all, because another version may mean the rest differently.
    FOXWEDGE_CHECK(read_abi(*root, d));
    d.id = string_member(*root, "id").value_or("");
    d.version = string_member(*root, "version").value_or("");
    d.title = string_member(*root, "title").value_or("");
    d.license = string_member(*root, "license").value_or("");
    d.homepage = string_member(*root, "homepage").value_or("");
    if (!is_plugin_id(d.id)) return bad("has no id of the form [a-z0-9][a-z0-9-]{0,63}");
    if (d.version.empty()) return bad("has no version");
    const auto* components = array_member(*root, "components");
    if (!components || components->empty()) return bad("lists no components");
    std::set<std::pair<std::string, std::string>> seen;
    for (std::size_t i = 0; i < components->size(); ++i) {
        FOXWEDGE_TRY(component, read_component((*components)[i], i));
        if (!seen.emplace(component.kind, component.id).second)
            return bad("lists the component " + component.id + " twice");
        d.components.push_back(std::move(component));
    }
    return d;
}

} // namespace foxwedge::plugin
