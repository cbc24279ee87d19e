// The plugins that a run was begun with, and those that would serve it now. Pure but for the
// look-up.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "journal/engine.hpp"

namespace foxwedge::compose {

/// Kind of the note that a run gets when it goes on with other plugins.
inline constexpr std::string_view plugin_changed = "plugin_changed";

/// A plugin's build behind a component, as agent::World::build gives it; none: not known here.
using BuildLookup =
    std::function<std::optional<Json>(std::string_view kind, std::string_view component)>;

/// [{"kind", "component", "was", "now"}]: what is on record of a run, in its lists of tools and its
/// notes of earlier changes, held against what there is now. Empty where nothing differs.
JsonArray changed_builds(std::span<const journal::Record>, const BuildLookup&);

/// That no run of the tree has begun with other plugins than there are now. Error `plugin_changed`.
Status check_builds(journal::Engine&, std::string_view run, const BuildLookup&);

/// "scripted 1.0.0 (…) → 1.0.1 (…), …" for people.
std::string changes_text(const JsonArray& changes);

} // namespace foxwedge::compose
