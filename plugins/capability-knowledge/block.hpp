// Blocks of entries, closed once they are full. What FTS5 tells of a word that is in most documents
// it tells one document at a time, which takes seconds among a million. So a closed block keeps for
// each word that is common in it the whole list at hand, and how long its documents are; of rarer
// words, and of the entries after the last closed block, FTS5 tells quickly enough.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shelf.hpp"
#include "sqlite.hpp"
#include "tokenizer.hpp"

namespace knowledge {

constexpr std::uint32_t block_size = 8192; ///< entry numbers
/// A word is common in a block that has it in so many documents.
constexpr std::size_t common_in_block = 32;
/// What a word in the title is worth, in words of the text.
constexpr std::uint32_t title_weight = 5;

/// A block's entries of one shelf, as a row's number.
inline std::int64_t slot_of(std::int64_t block, Shelf shelf) {
    return block * 2 + static_cast<std::int64_t>(shelf);
}

/// The lengths of a block's documents in words, by place; 0 for what is no longer there.
using Lengths = std::vector<std::uint16_t>;
/// A longer document counts as one of this length.
constexpr std::int64_t longest = 65'535;

void make_block_tables(Database&);

/// Keeps the lists of all common words of a full block. Within a transaction.
void close_block(Database&, const Tokenizer&, std::int64_t block);

/// Takes an entry out of its closed block; a block that has none left goes. Within a transaction.
void forget_in_block(Database&, Shelf, std::int64_t number);

/// What closed blocks hold of one shelf.
class Blocks {
public:
    Blocks(const Database&, Shelf);

    /// Numbers of the blocks that have entries, rising.
    std::vector<std::int64_t> all();
    /// Throws SqlError, damage, where the block has no such row.
    void lengths(std::int64_t block, Lengths&);
    /// In how many documents of the block the word is; 0 where it is not common there.
    std::int64_t having(std::int64_t block, std::string_view token);
    /// The list of a word that is common there; it lasts until the next call.
    std::string_view list(std::int64_t block, std::string_view token);

private:
    Shelf shelf_;
    Statement all_, lengths_, having_, list_;
};

} // namespace knowledge
