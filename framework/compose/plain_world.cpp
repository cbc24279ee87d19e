#include "compose/plain_world.hpp"

#include <algorithm>

#include "agent/approval/cel.hpp"

namespace foxwedge::compose {
namespace {

using config::HostConfig;

/// The entry of a map, or null: a look-up that a World offers.
template <class T>
auto entry_of(const std::map<std::string, T>& entries) {
    return [&entries](std::string_view name) -> const T* {
        const auto entry = entries.find(std::string(name));
        return entry == entries.end() ? nullptr : &entry->second;
    };
}

/// The entry that says most about a model: its own name, else the longest start of it ("claude-*").
std::optional<agent::Price> price_of(const HostConfig& config, std::string_view model) {
    const config::Price* found = nullptr;
    std::size_t known = 0;
    for (const auto& [pattern, price] : config.prices) {
        const bool prefix = !pattern.empty() && pattern.back() == '*';
        const auto wanted = std::string_view(pattern).substr(0, pattern.size() - prefix);
        if (prefix ? !model.starts_with(wanted) : model != wanted) continue;
        const std::size_t says = prefix ? wanted.size() + 1 : model.size() + 2;
        if (says > known) found = &price;
        known = std::max(known, says);
    }
    if (!found) return std::nullopt;
    return agent::Price{found->input, found->output, found->cache_read.value_or(found->input),
                        found->cache_write.value_or(found->input)};
}

} // namespace

agent::World plain_world(const HostConfig& config) {
    agent::World world;
    world.model_of = [&config](std::string_view name) -> std::string {
        const auto entry = config.providers.find(std::string(name));
        return entry == config.providers.end() ? "" : entry->second.model;
    };
    world.mcp_options = entry_of(config.mcp_servers);
    world.catalogue = entry_of(config.tools);
    world.price = [&config](std::string_view model) { return price_of(config, model); };
    world.project = config.project;
    world.default_provider = config.provider;
    world.rules = &agent::cel_language();
    world.retry = config.retry;
    world.guardrail_timeout = config.limits.guardrail;
    world.plan_timeout = config.limits.context_plan;
    return world;
}

} // namespace foxwedge::compose
