#include "compose/config_change.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "run/replay.hpp"

namespace foxwedge::compose {
namespace {

/// Models, providers, endpoints, credentials, retry, timeouts, budgets and caps. "*" is any name.
constexpr std::string_view changeable[] = {
    "/providers",
    "/provider",
    "/secrets",
    "/prices",
    "/retry",
    "/limits",
    "/http",
    "/telemetry",
    "/plugins/path",
    "/plugins/load/*/config/limits",
    "/apps",
    "/mcpServers/*/command",
    "/mcpServers/*/args",
    "/mcpServers/*/env",
    "/mcpServers/*/cwd",
    "/mcpServers/*/url",
    "/mcpServers/*/headers",
    "/mcpServers/*/timeout",
    "/mcpServers/*/startTimeout",
    "/mcpServers/*/elicitationHold",
    "/mcpServers/*/logLevel",
    "/agents/*/provider",
    "/agents/*/model",
    "/agents/*/maxTokens",
    "/agents/*/temperature",
    "/agents/*/providerOptions",
    "/agents/*/retry",
    "/agents/*/budget",
    "/agents/*/maxIterations",
    "/agents/*/maxApprovals",
    "/agents/*/parallelToolCalls",
    "/agents/*/tools/*/timeout",
    "/agents/*/tools/*/retry",
    "/agents/*/tools/*/limits",
    "/workflows/*/limits",
};
/// Entries that nothing on record can refer to when they are new.
constexpr std::string_view extensible[] = {"/agents", "/workflows", "/mcpServers", "/tools"};

bool begins_with(std::string_view pointer, std::string_view pattern) {
    while (!pattern.empty()) {
        if (pointer.empty()) return false;
        const auto wanted = pattern.substr(1, pattern.find('/', 1) - 1);
        const auto found = pointer.substr(1, pointer.find('/', 1) - 1);
        if (wanted != "*" && wanted != found) return false;
        pattern.remove_prefix(wanted.size() + 1);
        pointer.remove_prefix(found.size() + 1);
    }
    return true;
}

bool may_change(const Json& from, const std::string& pointer) {
    if (std::any_of(std::begin(changeable), std::end(changeable),
                    [&](auto pattern) { return begins_with(pointer, pattern); }))
        return true;
    const auto parent = std::string_view(pointer).substr(0, pointer.rfind('/'));
    const bool entry =
        std::find(std::begin(extensible), std::end(extensible), parent) != std::end(extensible);
    return entry && !at_pointer(from, pointer);
}

void compare(const Json& from, const Json& to, const std::string& pointer,
             std::vector<std::string>& into) {
    if (from == to) return;
    if (from.is_object() && to.is_object()) {
        for (const auto& [name, part] : from.get_object()) {
            const auto* const other = to.get_object().if_contains(name);
            const auto here = pointer_append(pointer, name);
            if (other)
                compare(part, *other, here, into);
            else
                into.push_back(here);
        }
        for (const auto& [name, part] : to.get_object())
            if (!from.get_object().contains(name)) into.push_back(pointer_append(pointer, name));
        return;
    }
    if (from.is_array() && to.is_array() && from.get_array().size() == to.get_array().size()) {
        for (std::size_t i = 0; i < from.get_array().size(); ++i)
            compare(from.get_array()[i], to.get_array()[i], pointer_append(pointer, i), into);
        return;
    }
    into.push_back(pointer);
}

} // namespace

std::vector<std::string> differences(const Json& from, const Json& to) {
    std::vector<std::string> out;
    compare(from, to, "", out);
    std::erase_if(out, [](const auto& pointer) { return begins_with(pointer, "/journal"); });
    return out;
}

namespace {

/// `on_clash`: whether a value that `own` has otherwise than `from` gives way.
void take_over(Json& own, const Json& from, const Json& to, bool on_clash) {
    if (from == to || own == to) return;
    if (own == from) {
        own = to;
    } else if (own.is_object() && from.is_object() && to.is_object()) {
        for (const auto& [name, part] : to.get_object()) {
            const auto* const before = from.get_object().if_contains(name);
            auto* const mine = own.get_object().if_contains(name);
            if (before && mine)
                take_over(*mine, *before, part, on_clash);
            else if (!before && (!mine || on_clash))
                own.get_object()[name] = part;
        }
        for (const auto& [name, part] : from.get_object()) {
            const auto* const mine = own.get_object().if_contains(name);
            const bool gone = !to.get_object().contains(name);
            if (gone && mine && (on_clash || *mine == part)) own.get_object().erase(name);
        }
    } else if (own.is_array() && from.is_array() && to.is_array() &&
               from.get_array().size() == to.get_array().size()) {
        // What was left out of a list moves the places of what comes after it.
        auto& list = own.get_array();
        std::size_t at = 0;
        for (std::size_t i = 0; i < from.get_array().size() && at < list.size(); ++i) {
            if (list[at] != from.get_array()[i]) continue;
            list[at++] = to.get_array()[i];
        }
    } else if (on_clash) {
        own = to;
    }
}

} // namespace

Json with_changes(Json own, const Json& from, const Json& to) {
    take_over(own, from, to, false);
    return own;
}

Json given_to(const Json& own, const Json& root, const Json& to) {
    Json out = own;
    take_over(out, root, to, true);
    return out;
}

std::vector<std::string> not_changeable(const Json& from, const std::vector<std::string>& changes) {
    std::vector<std::string> out;
    for (const auto& pointer : changes)
        if (!may_change(from, pointer)) out.push_back(pointer);
    return out;
}

Json to_json(const ConfigRecord& record) {
    JsonObject out{{"config", record.config}};
    JsonArray changes;
    for (const auto& pointer : record.changes) changes.push_back(Json(pointer));
    out["changes"] = std::move(changes);
    JsonObject providers;
    for (const auto& [name, traits] : record.providers) providers[name] = to_json(traits);
    if (!providers.empty()) out["providers"] = std::move(providers);
    if (record.forked) out["forked"] = true;
    return out;
}

Result<ConfigRecord> config_record_from_json(std::string_view text) {
    FOXWEDGE_TRY(json, parse_json(text));
    ConfigRecord out;
    const auto* const config = object_member(json, "config");
    if (!config)
        return permanent("invalid_record", "a configuration record holds no configuration");
    out.config = *config;
    if (const auto* const changes = array_member(json, "changes"))
        for (const auto& pointer : *changes)
            if (pointer.is_string()) out.changes.emplace_back(view(pointer.get_string()));
    if (const auto* const providers = object_member(json, "providers"))
        for (const auto& [name, traits] : *providers) {
            FOXWEDGE_TRY(read, provider_traits_from_json(traits));
            out.providers.emplace(name, std::move(read));
        }
    out.forked = bool_member(json, "forked").value_or(false);
    return out;
}

Result<Json> config_in_force(const journal::RunHead& head,
                             std::span<const journal::Record> records) {
    const journal::Record* newest = nullptr;
    for (const auto& record : records)
        if (record.key.lane == run::configuration_lane && record.outcome) newest = &record;
    if (!newest) return parse_json(head.config_json);
    FOXWEDGE_TRY(record, config_record_from_json(newest->outcome->value_json));
    return std::move(record.config);
}

} // namespace foxwedge::compose
