// The `plugins` part of a configuration: a registry made from it, and what is wrong with it, each
// mistake at its place in the file. Reads plugin files; runs none.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/host_config.hpp"
#include "plugin/registry.hpp"

namespace foxwedge::compose {

/// Folders, uses, limits and the lock beside the config file.
plugin::RegistryOptions registry_options(const config::HostConfig&);

/// Entries of `plugins.load` that cannot be loaded or isolated, configurations that do not fit the
/// component they are for, and origins of secrets that are none. Empty for a pinned configuration.
/// A component that is not on the path is no mistake here: only who uses it needs it.
std::vector<config::Problem> plugin_problems(const config::HostConfig&, plugin::Registry&);

/// The same for a configuration that nobody runs, `config check`, and as warnings the providers
/// and tools that no plugin on the path has.
std::vector<config::Problem> check_plugins(const config::HostConfig&);

/// The build that would serve a "provider" (an entry or a component), "capability", "guardrail" or
/// "strategy" of that name now; nothing where no plugin is behind it. Loads nothing.
std::optional<Json> build_behind(const config::HostConfig&, plugin::Registry&,
                                 std::string_view kind, std::string_view name);

/// The configuration of a provider component that an entry of `providers` gives as `given` (null:
/// none), with what `limits` says of all providers.
Json provider_config(const config::HostConfig&, const plugin::Registry&, std::string_view component,
                     const Json& given);

/// The provider of an entry of `providers`, or of a component of that name.
Result<std::shared_ptr<Provider>> provider_of(const config::HostConfig&, plugin::Registry&,
                                              std::string_view name);
/// What the providers of all agents say of themselves.
Result<std::map<std::string, ProviderTraits>> described_providers(const config::HostConfig&,
                                                                  plugin::Registry&);

} // namespace foxwedge::compose
