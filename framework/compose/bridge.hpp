// The loopback bridge that a surrounding host may inject through the environment: for the component
// `workflow-host` alone, its token only ever sent to its own address.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "config/host_config.hpp"
#include "plugin/lent.hpp"

namespace foxwedge::compose {

inline constexpr std::string_view bridge_component = "workflow-host";
/// The name that the token goes by as a secret.
inline constexpr std::string_view bridge_secret = "HOST_BRIDGE_TOKEN";

struct Bridge {
    std::string url;
    std::string token_variable; ///< where the token stands
    std::string problem;        ///< why there is no bridge; "" where there is one

    /// The component's configuration: the address, and the token by name. Null without a bridge.
    Json config() const;
    /// The secrets of the configuration and, for its one origin, the token.
    std::map<std::string, config::SecretSource>
        secrets_with(std::map<std::string, config::SecretSource>) const;
};

/// FOXWEDGE_HOST_BRIDGE_URL and _TOKEN where both are set, else the pair
/// STEAMHARNESS_DEVELOPER_ASSISTANT_HOST_BRIDGE_…; pairs are never mixed. Connects nowhere.
Bridge injected_bridge(const plugin::EnvironmentLookup&);

/// Why `url` is no `http://127.0.0.1[:port][/path]`; "" if it is one. Pure.
std::string bridge_url_problem(std::string_view url);

} // namespace foxwedge::compose
