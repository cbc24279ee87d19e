// How well a document fits a question, as an FTS5 function: BM25 with a title that counts more.
// Unlike FTS5's own bm25() it is told how rare each phrase is, because counting that anew for each
// question means walking through every document that has the word.
#pragma once
#include <cstdint>

#include "sqlite.hpp"

namespace knowledge {

/// Adds relevance(table, rarity…), one rarity per phrase of the question.
void add_relevance(Database&);

/// What a match of a phrase in `having` of `all` documents is worth.
double rarity(std::int64_t having, std::int64_t all);

} // namespace knowledge
