// The cards that stand beside a conversation, for whoever shows it.
#pragma once
#include <string>
#include <string_view>

#include "compose/host.hpp"

namespace foxwedge::compose {

/// The commands of `present_card` in force, by cardId: each as it stood in `details.card`. Reads
/// the store; empty where no plugin provides `workflow-ui`.
Result<JsonArray> conversation_cards(Host&, std::string_view conversation);

/// The file that a card of kind file names (the command of a card, or a resource card), opened for
/// reading below `project_folder`, however it got there: no link, `..` or absolute path leads out.
/// For who opens a card: only that program knows where a project lies, and the file may have
/// changed since the card was made. Errors: `input_validation` (no such card), `denied` (it leads
/// out), `not_found`, `unavailable` (no regular file, or none that can be read). The caller closes
/// it.
Result<int> open_card_file(const std::string& project_folder, const Json& card);

} // namespace foxwedge::compose
