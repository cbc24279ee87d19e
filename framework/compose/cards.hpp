// The cards that stand beside a conversation, for whoever shows it.
#pragma once
#include <string_view>

#include "compose/host.hpp"

namespace foxwedge::compose {

/// The commands of `present_card` in force, by cardId: each as it stood in `details.card`. Reads
/// the store; empty where no plugin provides `workflow-ui`.
Result<JsonArray> conversation_cards(Host&, std::string_view conversation);

} // namespace foxwedge::compose
