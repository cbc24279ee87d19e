#include "ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "best.hpp"

namespace knowledge {

namespace {

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

/// What one occurrence is worth, of a term that is in `having` of `all` documents.
float worth_of(double having, double all) {
    all = std::max(all, having);
    return static_cast<float>(std::log(1 + (all - having + 0.5) / (having + 0.5)) * (bm25_k1 + 1));
}

/// The postings from entry `first` on.
auto loose_from(const std::vector<Posting>& loose, std::int64_t first) {
    return std::lower_bound(
        loose.begin(), loose.end(), first,
        [](const Posting& one, std::int64_t number) { return one.place < number; });
}
bool has_loose(const std::vector<Posting>& loose, const Block& block) {
    const auto at = loose_from(loose, block.first);
    return at != loose.end() && at->place < block.first + block.size;
}

} // namespace

void add_frequency(Database& database) {
    fts5_api* fts5 = fts5_of(database);
    const int result = fts5->xCreateFunction(fts5, "frequency", nullptr, frequency, nullptr);
    if (result != SQLITE_OK) throw SqlError(result, "the ranking cannot be added");
}

Ranking::Ranking(const Database& database, Shelf shelf, const std::vector<Term>& terms)
    : database_(database), shelf_(shelf), held_(database, shelf), blocks_(held_.all()) {
    auto reached = database.prepare("SELECT closed FROM reached");
    if (reached.step()) closed_ = reached.integer(0);
    auto total = database.prepare("SELECT documents, words FROM total WHERE shelf = ?1");
    total.bind(1, static_cast<std::int64_t>(shelf));
    if (total.step() && total.integer(0) > 0) {
        documents_ = static_cast<double>(total.integer(0));
        average_length_ = std::max(1.0, static_cast<double>(total.integer(1)) / documents_);
    }
    // FTS5 takes its time to begin with a table: once for all terms.
    const auto table = table_of(shelf);
    auto read =
        database.prepare("SELECT rowid, frequency(" + table + ") FROM " + table + " WHERE " +
                         table + " MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid");
    for (const auto& term : terms) ask(term, read);
    // The rarest first: where it is not, the others need not be looked for.
    std::stable_sort(asked_.begin(), asked_.end(), [](const Asked& one, const Asked& other) {
        return one.having < other.having;
    });
}

std::vector<std::int64_t> Ranking::best(Joined joined, std::int64_t offset, std::int64_t most) {
    constexpr std::int64_t no_index_has_more = std::numeric_limits<std::uint32_t>::max();
    if (asked_.empty() || offset > no_index_has_more) return {};
    const std::size_t needed = joined == Joined::all ? asked_.size() : 1;
    Best best(static_cast<std::size_t>(offset + most));
    if (needed == 1 || asked_.front().having > 0) {
        take_tail(needed, best);
        for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
            take_block(*block, needed, best);
    }
    return best.from(static_cast<std::size_t>(offset));
}

void Ranking::ask(const Term& term, Statement& read) {
    Asked asked;
    asked.token = term.token;
    asked.spread = held_.spread(term.token);
    read_loose(asked, term, read);
    asked.having = asked.spread.documents() + static_cast<std::int64_t>(asked.loose.size());
    asked.worth = worth_of(static_cast<double>(asked.having), documents_);
    asked_.push_back(std::move(asked));
}

void Ranking::read_loose(Asked& asked, const Term& term, Statement& read) {
    struct Gap {
        std::int64_t from, to;
    };
    std::vector<Gap> gaps{{0, 0}};
    for (const auto& block : blocks_) {
        if (!asked.spread.holds(block.first)) continue;
        gaps.back().to = block.first - 1;
        if (gaps.back().from > gaps.back().to) gaps.pop_back();
        gaps.push_back({block.first + block.size, 0});
    }
    gaps.back().to = std::numeric_limits<std::int64_t>::max();
    // A gap costs as much as the postings of so many documents: of a word that is nowhere very
    // common all are asked for at once.
    constexpr std::size_t gap_in_postings = 20;
    if (static_cast<std::size_t>(asked.spread.documents()) < gaps.size() * gap_in_postings) {
        asked.spread = {};
        gaps = {{0, std::numeric_limits<std::int64_t>::max()}};
    }
    for (const auto& gap : gaps) {
        read.bind(1, term.quoted).bind(2, gap.from).bind(3, gap.to);
        while (read.step())
            asked.loose.push_back({static_cast<std::uint32_t>(read.integer(0)),
                                   static_cast<std::uint32_t>(read.integer(1))});
        read.reset();
    }
}

void Ranking::take_tail(std::size_t needed, Best& best) {
    const bool any = std::any_of(asked_.begin(), asked_.end(), [&](const Asked& asked) {
        return !asked.loose.empty() && asked.loose.back().place >= closed_;
    });
    if (!any) return;
    // The plus keeps SQLite from walking through the whole shelf by its index.
    auto read = database_.prepare("SELECT number, words FROM entry WHERE number >= ?1 AND "
                                  "+shelf = ?2 ORDER BY number");
    read.bind(1, closed_).bind(2, static_cast<std::int64_t>(shelf_));
    lengths_.clear();
    while (read.step()) {
        lengths_.resize(static_cast<std::size_t>(read.integer(0) - closed_) + 1);
        lengths_.back() =
            static_cast<std::uint16_t>(std::clamp<std::int64_t>(read.integer(1), 1, longest));
    }
    begin(needed);
    for (const auto& asked : asked_) add_loose(asked, closed_);
    take_best(closed_, needed, best);
}

void Ranking::take_block(const Block& block, std::size_t needed, Best& best) {
    bool begun = false;
    std::size_t added = 0;
    for (const auto& asked : asked_) {
        const bool listed = asked.spread.holds(block.first);
        const bool there = listed || has_loose(asked.loose, block);
        if (!there && needed > 1) return;
        if (!there) continue;
        if (!begun) {
            held_.lengths(block, lengths_);
            begin(needed);
            begun = true;
        }
        if (!listed)
            add_loose(asked, block.first);
        else if (!sums_.add_list(held_.list(block, asked.token), asked.worth))
            throw SqlError(SQLITE_CORRUPT, "a list of the index is damaged");
        if (needed > 1 && !sums_.any_with(++added)) return;
    }
    if (begun) take_best(block.first, needed, best);
}

void Ranking::begin(std::size_t needed) {
    sums_.begin(lengths_, average_length_, needed > 1);
}

void Ranking::add_loose(const Asked& asked, std::int64_t first) {
    const auto size = static_cast<std::int64_t>(lengths_.size());
    for (auto at = loose_from(asked.loose, first); at != asked.loose.end(); ++at) {
        if (at->place - first >= size) return;
        sums_.add(static_cast<std::uint32_t>(at->place - first), at->frequency, asked.worth);
    }
}

void Ranking::take_best(std::int64_t first, std::size_t needed, Best& best) const {
    sums_.each_with(
        needed, [&] { return best.above(); },
        [&](std::size_t place, float score) {
            best.take(score, first + static_cast<std::int64_t>(place));
        });
}

} // namespace knowledge
