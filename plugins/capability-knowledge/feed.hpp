// How the index follows the store: by the store's own list of changes, in the order of revisions.
// What was taken over and how far that goes commit together, so that an interrupted feed goes on
// where it was.
#pragma once
#include <string>
#include <string_view>

#include <foxwedge/host.hpp>

#include "sqlite.hpp"

namespace knowledge {

/// What documents are stored under.
inline constexpr std::string_view document_prefix = "document/";
/// What the ids of memories start with; all other documents have another start.
inline constexpr std::string_view memory_prefix = "assistant-memory-";

/// Makes the tables of a new index, and leaves those of one of this layout. Throws SqlError,
/// damage, at a file of another layout.
void prepare_index(Database&);

/// Takes over every change that is committed by now. Ends early, with what it has, by throwing
/// Failure once the call is cancelled. Throws SqlError, damage, if the index is another store's.
void feed(Database&, const foxwedge::plugin::Store&, const foxwedge::plugin::Call&);

} // namespace knowledge
