// Which entries fit a question, best first: BM25 over every entry that fits, with a title that
// counts more. Among equals the one changed last comes first.
#pragma once
#include <cstdint>
#include <vector>

#include "query.hpp"
#include "shelf.hpp"
#include "sqlite.hpp"

namespace knowledge {

/// Adds frequency(table): how often the one word of a question occurs in a row, weighted. An FTS5
/// function.
void add_frequency(Database&);

/// Numbers of the entries that have all terms, or any, best first: `most` of them from `offset` on.
/// Within a transaction.
std::vector<std::int64_t> best_entries(const Database&, Shelf, const std::vector<Term>&, Joined,
                                       std::int64_t offset, std::int64_t most);

} // namespace knowledge
