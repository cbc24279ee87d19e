// Blocks of entries, closed once they are full. What FTS5 tells of a word that is in many documents
// it tells one document at a time, which takes seconds among a million. So a closed block keeps for
// each word that is common in it the whole list at hand, and how long its documents are; of rarer
// words, and of the entries after the last closed block, FTS5 tells quickly enough. Small blocks
// keep these few; a large one takes the place of the small ones once it is full.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shelf.hpp"
#include "sqlite.hpp"
#include "sums.hpp"
#include "tokenizer.hpp"

namespace knowledge {

// Entry numbers. A large block is as many small ones.
constexpr std::int64_t large_block = 8192, small_block = 1024;
/// A word is common in a block that has it in so many documents.
constexpr std::size_t common_in_block = 4;
/// What a word in the title is worth, in words of the text.
constexpr std::uint32_t title_weight = 5;

void make_block_tables(Database&);

/// Closes the blocks below `next` from entry `closed` on, which is behind the last closed one, and
/// gives where it is now. Small blocks only if `small_too`, for they are made again as a large one.
/// Within a transaction.
std::int64_t close_blocks(Database&, const Tokenizer&, std::int64_t closed, std::int64_t next,
                          bool small_too);

/// Takes an entry below `closed` out of its block; a block that has none left goes. Within a
/// transaction.
void forget_in_block(Database&, Shelf, std::int64_t number, std::int64_t closed);

struct Block {
    std::int64_t first = 0; ///< entry
    std::uint32_t size = 0;
};

/// In which blocks of a shelf a word is common.
class Spread {
public:
    Spread() = default;
    Spread(std::int64_t documents, std::string_view bits) : documents_(documents), bits_(bits) {}

    /// How many documents have it in those blocks, counted when they were closed.
    std::int64_t documents() const { return documents_; }
    bool holds(std::int64_t first) const {
        const auto [byte, bit] = place_of(first);
        return byte < bits_.size() && (bits_[byte] >> bit & 1) != 0;
    }
    void add(std::int64_t first, std::int64_t documents) {
        const auto [byte, bit] = place_of(first);
        if (bits_.size() <= byte) bits_.resize(byte + 1);
        bits_[byte] = static_cast<char>(bits_[byte] | 1 << bit);
        documents_ += documents;
    }
    void remove(std::int64_t first, std::int64_t documents) {
        const auto [byte, bit] = place_of(first);
        if (byte < bits_.size()) bits_[byte] = static_cast<char>(bits_[byte] & ~(1 << bit));
        documents_ -= documents;
    }
    std::string_view bits() const { return bits_; }

private:
    struct Place {
        std::size_t byte;
        int bit;
    };
    static Place place_of(std::int64_t first) {
        const auto n = first / small_block;
        return {static_cast<std::size_t>(n / 8), static_cast<int>(n % 8)};
    }
    std::int64_t documents_ = 0;
    std::string bits_; ///< by the small block where the block begins
};

/// What closed blocks hold of one shelf.
class Blocks {
public:
    Blocks(const Database&, Shelf);

    /// Those that have entries, rising.
    std::vector<Block> all();
    /// Throws SqlError, damage, where the block has no such row.
    void lengths(const Block&, Lengths&);
    Spread spread(std::string_view token);
    /// The list of a word that is common there, which lasts until the next call. Throws SqlError,
    /// damage, where there is none.
    std::string_view list(const Block&, std::string_view token);

private:
    Shelf shelf_;
    Statement all_, lengths_, spread_, list_;
};

} // namespace knowledge
