// Which entries fit a question, best first: BM25 over every entry that fits, with a title that
// counts more. Among equals the one changed last comes first.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "block.hpp"
#include "postings.hpp"
#include "query.hpp"
#include "shelf.hpp"
#include "sqlite.hpp"
#include "sums.hpp"

namespace knowledge {

/// Adds frequency(table): how often the one word of a question occurs in a row, weighted. An FTS5
/// function.
void add_frequency(Database&);

class Best;

/// One question to one shelf. Within a transaction; `terms` outlive it.
class Ranking {
public:
    Ranking(const Database&, Shelf, const std::vector<Term>& terms);

    /// Numbers of the entries that have all terms, or any, best first: `most` of them from `offset`
    /// on.
    std::vector<std::int64_t> best(Joined, std::int64_t offset, std::int64_t most);

private:
    /// A term with what FTS5 tells of it: its postings in blocks where it is not common, and in the
    /// entries after the last closed block.
    struct Asked {
        std::string_view token;
        Spread spread;              ///< the blocks where its list is read
        std::vector<Posting> loose; ///< by rising entry number
        std::int64_t having = 0;
        float worth = 0; ///< of one occurrence
    };

    void ask(const Term&, Statement& read);
    void read_loose(Asked&, const Term&, Statement& read);
    void take_tail(std::size_t needed, Best&);
    void take_block(const Block&, std::size_t needed, Best&);
    void begin(std::size_t needed);
    void add_loose(const Asked&, std::int64_t first);
    void take_best(std::int64_t first, std::size_t needed, Best&) const;

    const Database& database_;
    const Shelf shelf_;
    std::int64_t closed_ = 0; ///< entries from here on are in no closed block
    double documents_ = 0, average_length_ = 1;
    Blocks held_;
    const std::vector<Block> blocks_; ///< the closed ones, rising
    std::vector<Asked> asked_;
    // Of the block at hand.
    Lengths lengths_;
    Sums sums_;
};

} // namespace knowledge
