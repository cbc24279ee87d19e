// How texts become searchable words, as an FTS5 tokenizer: words of scripts that separate them with
// spaces go through SQLite's own stemmer with accents removed; Chinese, Japanese and Korean, which
// do not, become pairs of neighbouring characters.
#pragma once
#include <cstdint>
#include <string_view>

#include "sqlite.hpp"

namespace knowledge {

inline constexpr std::string_view tokenizer_name = "foxwedge";

/// FTS5's interface of a connection.
fts5_api* fts5_of(Database&);

/// Makes the tokenizer known to a connection.
void add_tokenizer(Database&);

/// A character of a script without spaces between its words.
bool is_unspaced(std::int32_t code_point);

/// Calls `take(from, to, unspaced)` for each longest part of `text` whose characters are all of one
/// sort; byte offsets.
template <class Take>
void each_run(std::string_view text, Take&& take);

} // namespace knowledge

#include "tokenizer_runs.hpp"
