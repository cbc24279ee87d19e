// Losses that say nothing against the work that was lost.
#pragma once
#include <string_view>

namespace foxwedge {

/// The code of an error for work that was lost through no fault that can be laid on it, as when a
/// process died while it ran several calls. Where the work may be repeated, such an attempt is not
/// counted. Whoever gives this code sees to it that a loss that goes on gets another one.
inline constexpr std::string_view blameless_loss = "box_died";

} // namespace foxwedge
