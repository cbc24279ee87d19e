// Resource cards: what a successful tool result may say about the resource that it was about
// (`details.resourceCard`). A host that shows cards shows it; nothing is opened or pinned by it.
#pragma once
#include <optional>
#include <string>

#include "contracts/tool.hpp"

namespace foxwedge {

/// What is wrong with a summary, or nothing.
std::optional<std::string> resource_card_problem(const Json& card);

/// A failed call shows no card, and a summary that is none is dropped: the result itself stays.
/// What was dropped and why, or "".
std::string drop_misfit_card(ToolResult&);

} // namespace foxwedge
