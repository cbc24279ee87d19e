// What the runtime keeps under reserved keys beside the KV capability's data, as store effects of
// the very commits that they describe (docs/journal-format, "Accounting").
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/world.hpp"
#include "contracts/call.hpp"

namespace foxwedge::agent {

/// `tokenUsage.entry.<run>.<step>` in the conversation and additions to `tokenUsage.total` in
/// conversation and project. Empty where the world keeps no accounting.
std::vector<journal::Effect> usage_effects(const World&, const Scope&, std::string_view step,
                                           std::string_view model, const Usage&);

/// The stand-in for a gate's id in the key below; the run engine puts the id in its place.
inline constexpr std::string_view pending_approval_key = "agent.pendingApproval.<gate>";
/// With the opening of a gate, and with its closing.
std::vector<journal::Effect> gate_opened_effects(const World&, const Scope&,
                                                 std::string_view about_json);
std::vector<journal::Effect> gate_closed_effects(const World&, const Scope&);

/// Money for one model call; nothing without a price.
std::optional<double> cost_of(const World&, std::string_view model, const Usage&);

} // namespace foxwedge::agent
