#include "ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "block.hpp"
#include "postings.hpp"
#include "tokenizer.hpp"

namespace knowledge {

namespace {

constexpr double k1 = 1.2, b = 0.75; // the usual constants of BM25

void frequency(const Fts5ExtensionApi* api, Fts5Context* fts, sqlite3_context* context, int,
               sqlite3_value**) {
    Fts5PhraseIter each;
    int column = 0, offset = 0;
    sqlite3_int64 sum = 0;
    const int result = api->xPhraseFirst(fts, 0, &each, &column, &offset);
    if (result != SQLITE_OK) return sqlite3_result_error_code(context, result);
    for (; column >= 0; api->xPhraseNext(fts, &each, &column, &offset))
        sum += column == 0 ? title_weight : 1;
    sqlite3_result_int64(context, std::min<sqlite3_int64>(sum, 0x7FFF'FFFF));
}

/// How far the index goes, and what its documents are like.
struct Extent {
    std::int64_t closed = 0; ///< entries from here on are in no closed block
    double documents = 0, average_length = 1;
};

Extent extent_of(const Database& database, Shelf shelf) {
    Extent out;
    auto reached = database.prepare("SELECT closed FROM reached");
    if (reached.step()) out.closed = reached.integer(0) * block_size;
    auto total = database.prepare("SELECT documents, words FROM total WHERE shelf = ?1");
    total.bind(1, static_cast<std::int64_t>(shelf));
    if (total.step() && total.integer(0) > 0) {
        out.documents = static_cast<double>(total.integer(0));
        out.average_length = std::max(1.0, static_cast<double>(total.integer(1)) / out.documents);
    }
    return out;
}

/// A term with what FTS5 tells of it: its postings in blocks where it is not common, and in the
/// entries after the last closed block.
struct Asked {
    std::string_view token;
    std::vector<Posting> loose; ///< by rising entry number
    std::int64_t having = 0;
    std::vector<bool> common; ///< by block, in the order of `blocks`
    float worth = 0;          ///< of one occurrence
};

/// What one occurrence is worth, of a term that is in `having` of `all` documents.
float worth_of(double having, double all) {
    all = std::max(all, having);
    return static_cast<float>(std::log(1 + (all - having + 0.5) / (having + 0.5)) * (k1 + 1));
}

class Scores {
public:
    Scores(const Database& database, Shelf shelf, const std::vector<Term>& terms, Joined joined,
           std::size_t most)
        : database_(database), shelf_(shelf), extent_(extent_of(database, shelf)),
          blocks_(database, shelf), numbers_(blocks_.all()),
          needed_(joined == Joined::all ? terms.size() : 1), most_(most) {
        for (const auto& term : terms) ask(term);
        // The rarest first: where it is not, the others need not be looked for.
        std::sort(asked_.begin(), asked_.end(),
                  [](const Asked& one, const Asked& other) { return one.having < other.having; });
    }

    /// Best first.
    std::vector<std::int64_t> best() {
        const bool impossible = needed_ > 1 && asked_.front().having == 0;
        if (!impossible) {
            take_tail();
            // The newest first, so that among equals the first one stays.
            for (std::size_t n = numbers_.size(); n > 0; --n) take_block(n - 1);
        }
        std::sort_heap(found_.begin(), found_.end(), better);
        std::vector<std::int64_t> out;
        for (const auto& each : found_) out.push_back(each.number);
        return out;
    }

private:
    struct Found {
        float score;
        std::int64_t number;
    };
    static bool better(const Found& one, const Found& other) {
        return one.score != other.score ? one.score > other.score : one.number > other.number;
    }

    void ask(const Term& term) {
        Asked asked;
        asked.token = term.token;
        auto read = database_.prepare("SELECT rowid, frequency(" + table_of(shelf_) + ") FROM " +
                                      table_of(shelf_) + " WHERE " + table_of(shelf_) +
                                      " MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid");
        const auto read_loose = [&](std::int64_t from, std::int64_t to) {
            read.bind(1, term.quoted).bind(2, from).bind(3, to);
            while (read.step())
                asked.loose.push_back({static_cast<std::uint32_t>(read.integer(0)),
                                       static_cast<std::uint32_t>(read.integer(1))});
            read.reset();
        };
        std::int64_t unread = 0; // from here on FTS5 has still to be asked
        for (const auto block : numbers_) {
            const auto having = blocks_.having(block, term.token);
            asked.common.push_back(having > 0);
            if (having == 0) continue;
            asked.having += having;
            if (unread < block * block_size) read_loose(unread, block * block_size - 1);
            unread = (block + 1) * block_size;
        }
        read_loose(unread, std::numeric_limits<std::int64_t>::max());
        asked.having += static_cast<std::int64_t>(asked.loose.size());
        asked.worth = worth_of(static_cast<double>(asked.having), extent_.documents);
        asked_.push_back(std::move(asked));
    }

    void take_tail() {
        bool any = false;
        for (const auto& asked : asked_)
            any = any || (!asked.loose.empty() && asked.loose.back().place >= extent_.closed);
        if (!any) return;
        // The plus keeps SQLite from walking through the whole shelf by its index.
        auto read = database_.prepare("SELECT number, words FROM entry WHERE number >= ?1 AND "
                                      "+shelf = ?2 ORDER BY number");
        read.bind(1, extent_.closed).bind(2, static_cast<std::int64_t>(shelf_));
        lengths_.clear();
        while (read.step()) {
            lengths_.resize(static_cast<std::size_t>(read.integer(0) - extent_.closed) + 1);
            lengths_.back() =
                static_cast<std::uint16_t>(std::clamp<std::int64_t>(read.integer(1), 1, longest));
        }
        begin();
        for (const auto& asked : asked_) add_loose(asked, extent_.closed);
        take_best(extent_.closed);
    }

    void take_block(std::size_t n) {
        const auto block = numbers_[n];
        const auto first = block * block_size;
        bool begun = false;
        for (const auto& asked : asked_) {
            const bool there = asked.common[n] || has_loose(asked, first);
            if (!there && needed_ > 1) return;
            if (!there) continue;
            if (!begun) {
                blocks_.lengths(block, lengths_);
                begin();
                begun = true;
            }
            if (asked.common[n])
                add_list(asked, blocks_.list(block, asked.token));
            else
                add_loose(asked, first);
        }
        if (begun) take_best(first);
    }

    void begin() {
        scores_.assign(lengths_.size(), 0);
        hits_.assign(lengths_.size(), 0);
        stretch_.resize(lengths_.size());
        const auto base = static_cast<float>(k1 * (1 - b));
        const auto per_word = static_cast<float>(k1 * b / extent_.average_length);
        for (std::size_t n = 0; n < lengths_.size(); ++n)
            stretch_[n] = base + per_word * lengths_[n];
    }

    void add(std::uint32_t place, std::uint32_t frequency, float worth) {
        const auto often = static_cast<float>(frequency);
        scores_[place] += worth * often / (often + stretch_[place]);
        ++hits_[place];
    }

    void add_list(const Asked& asked, std::string_view list) {
        const auto take = [&](std::uint32_t place, std::uint32_t frequency) {
            add(place, frequency, asked.worth);
        };
        if (!each_posting(list, block_size, take))
            throw SqlError(SQLITE_CORRUPT, "a list of the index is damaged");
    }

    static std::vector<Posting>::const_iterator loose_from(const Asked& asked, std::int64_t first) {
        return std::lower_bound(
            asked.loose.begin(), asked.loose.end(), first,
            [](const Posting& one, std::int64_t number) { return one.place < number; });
    }
    static bool has_loose(const Asked& asked, std::int64_t first) {
        const auto at = loose_from(asked, first);
        return at != asked.loose.end() && at->place < first + block_size;
    }
    void add_loose(const Asked& asked, std::int64_t first) {
        const auto size = static_cast<std::int64_t>(lengths_.size());
        for (auto at = loose_from(asked, first); at != asked.loose.end(); ++at) {
            if (at->place - first >= size) return;
            add(static_cast<std::uint32_t>(at->place - first), at->frequency, asked.worth);
        }
    }

    /// A place of length 0 is one that is no longer there.
    void take_best(std::int64_t first) {
        for (std::size_t n = lengths_.size(); n > 0; --n) {
            const auto place = n - 1;
            if (hits_[place] < needed_ || lengths_[place] == 0) continue;
            if (found_.size() == most_ && scores_[place] <= found_.front().score) continue;
            if (found_.size() == most_) {
                std::pop_heap(found_.begin(), found_.end(), better);
                found_.pop_back();
            }
            found_.push_back({scores_[place], first + static_cast<std::int64_t>(place)});
            std::push_heap(found_.begin(), found_.end(), better);
        }
    }

    const Database& database_;
    const Shelf shelf_;
    const Extent extent_;
    Blocks blocks_;
    const std::vector<std::int64_t> numbers_; ///< of the closed blocks, rising
    const std::size_t needed_, most_;
    std::vector<Asked> asked_;
    // Of the block at hand, by place.
    Lengths lengths_;
    std::vector<float> scores_, stretch_;
    std::vector<std::uint8_t> hits_;
    std::vector<Found> found_; ///< a heap, the worst first
};

} // namespace

void add_frequency(Database& database) {
    fts5_api* fts5 = fts5_of(database);
    const int result = fts5->xCreateFunction(fts5, "frequency", nullptr, frequency, nullptr);
    if (result != SQLITE_OK) throw SqlError(result, "the ranking cannot be added");
}

std::vector<std::int64_t> best_entries(const Database& database, Shelf shelf,
                                       const std::vector<Term>& terms, Joined joined,
                                       std::int64_t offset, std::int64_t most) {
    constexpr std::int64_t no_index_has_more = std::numeric_limits<std::uint32_t>::max();
    if (terms.empty() || offset > no_index_has_more) return {};
    Scores scores(database, shelf, terms, joined, static_cast<std::size_t>(offset + most));
    auto best = scores.best();
    best.erase(best.begin(), best.begin() + std::min<std::ptrdiff_t>(
                                                offset, static_cast<std::ptrdiff_t>(best.size())));
    return best;
}

} // namespace knowledge
