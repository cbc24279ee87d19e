// Another configuration for a run that is under way: what may change, and what a run records of it.
// Pure.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "config/host_config.hpp"
#include "contracts/provider.hpp"
#include "journal/engine.hpp"

namespace foxwedge::compose {

/// A configuration record: what `resume --config` or `fork --config` put in force.
struct ConfigRecord {
    Json config;                                     ///< resolved, as HostConfig::resolved
    std::vector<std::string> changes;                ///< JSON pointers into it
    std::map<std::string, ProviderTraits> providers; ///< described anew, by name
    bool forked = false;                             ///< tools and instructions may have changed
};
Json to_json(const ConfigRecord&);
Result<ConfigRecord> config_record_from_json(std::string_view text);

/// Where two resolved configurations differ: the outermost pointers whose values do. The journal's
/// place is no difference: a run stays where it is.
std::vector<std::string> differences(const Json& from, const Json& to);
/// Those that a run under way cannot take: tools, guardrails, rules, instructions. They need a
/// fork.
std::vector<std::string> not_changeable(const Json& from, const std::vector<std::string>& changes);

/// `own`, which began as `from` and has parts of its own, with what changed from there to `to`; its
/// own parts stay. A child keeps so the options that it was started with.
Json with_changes(Json own, const Json& from, const Json& to);
/// `to` for a run whose configuration began as its root's and has parts of its own: they stay where
/// `to` says what the root's says.
Json given_to(const Json& own, const Json& root, const Json& to);

/// The resolved configuration that is in force for what is still to come of a run.
Result<Json> config_in_force(const journal::RunHead&, std::span<const journal::Record>);

} // namespace foxwedge::compose
