// Holds a plugin's file to the contract: what can be read from it, then each component in a sealed
// process, kind by kind.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "plugin/conformance/kits.hpp"

namespace foxwedge::plugin::conformance {

struct CheckOptions {
    std::string host_version;
    /// Component id → its configuration; "" for all that have none of their own. Without one it is
    /// the first of the configSchema's `examples`, else {}, else one made from the schema.
    std::map<std::string, Json> configs;
    std::optional<Recorded> answer; ///< for providers
    Millis longest{5'000};          ///< for a call
    Millis grace{2'000};            ///< from its end until it counts as lost
};

/// The report; an Error where nothing could be checked: no folder, no plugin-box, a configuration
/// for a component that there is not. Takes seconds.
Result<Report> check_plugin(const std::string& path, process::Supervisor&, const CheckOptions&);

} // namespace foxwedge::plugin::conformance
