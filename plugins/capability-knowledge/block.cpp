#include "block.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "postings.hpp"

namespace knowledge {

namespace {

/// A block's entries of one shelf, as a row's number.
std::int64_t slot_of(std::int64_t first, Shelf shelf) {
    return first * 2 + static_cast<std::int64_t>(shelf);
}

/// The postings of every word in a block.
class Gathered {
public:
    explicit Gathered(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

    /// Places rise from call to call.
    void take(std::uint32_t place, std::string_view text, std::uint32_t weight) {
        tokenizer_.each(text, Tokenizer::Text::document, [&](const Tokenizer::Token& token) {
            auto& list = list_of(token.text);
            if (list.empty() || list.back().place != place)
                list.push_back({place, weight});
            else
                list.back().frequency += weight;
        });
    }

    /// The common ones, in the order of their keys, so that rows are written one after the other.
    std::vector<std::pair<std::string_view, const std::vector<Posting>*>> common() const {
        std::vector<std::pair<std::string_view, const std::vector<Posting>*>> out;
        for (const auto& [token, list] : lists_)
            if (list.size() >= common_in_block) out.emplace_back(token, &list);
        std::sort(out.begin(), out.end());
        return out;
    }

private:
    std::vector<Posting>& list_of(std::string_view token) {
        const auto known = lists_.find(token);
        return known != lists_.end() ? known->second : lists_[std::string(token)];
    }

    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    const Tokenizer& tokenizer_;
    std::unordered_map<std::string, std::vector<Posting>, Hash, std::equal_to<>> lists_;
};

constexpr const char* read_spread =
    "SELECT documents, blocks FROM common WHERE shelf = ?1 AND token = ?2";

Spread spread_of(Statement& read, Shelf shelf, std::string_view token) {
    read.reset();
    read.bind(1, static_cast<std::int64_t>(shelf)).bind(2, token);
    Spread out;
    if (read.step()) out = Spread(read.integer(0), read.view(1));
    read.reset();
    return out;
}

/// Keeps in which blocks words are common.
class Spreads {
public:
    Spreads(Database& database, Shelf shelf)
        : shelf_(shelf), read_(database.prepare(read_spread)),
          write_(database.prepare("INSERT OR REPLACE INTO common(shelf, token, documents, blocks) "
                                  "VALUES(?1, ?2, ?3, ?4)")),
          remove_(database.prepare("DELETE FROM common WHERE shelf = ?1 AND token = ?2")) {}

    template <class Change>
    void change(std::string_view token, Change&& change) {
        auto spread = spread_of(read_, shelf_, token);
        change(spread);
        auto& statement = spread.documents() > 0 ? write_ : remove_;
        statement.bind(1, static_cast<std::int64_t>(shelf_)).bind(2, token);
        if (spread.documents() > 0)
            statement.bind(3, spread.documents()).bind_blob(4, spread.bits());
        statement.run();
    }

private:
    const Shelf shelf_;
    Statement read_, write_, remove_;
};

/// Lengths as the blob that is kept: two bytes each, as this machine has them.
std::string_view bytes_of(const Lengths& lengths) {
    return {reinterpret_cast<const char*>(lengths.data()), lengths.size() * sizeof lengths[0]};
}

/// False if the shelf has nothing in the block.
bool keep_lengths(Database& database, const Block& block, Shelf shelf) {
    Lengths lengths(block.size);
    std::int64_t live = 0;
    // The plus keeps SQLite from walking through the whole shelf by its index.
    auto read = database.prepare("SELECT number, words FROM entry WHERE number >= ?1 AND number < "
                                 "?2 AND +shelf = ?3");
    read.bind(1, block.first).bind(2, block.first + block.size);
    read.bind(3, static_cast<std::int64_t>(shelf));
    while (read.step()) {
        lengths[static_cast<std::size_t>(read.integer(0) - block.first)] =
            static_cast<std::uint16_t>(std::clamp<std::int64_t>(read.integer(1), 1, longest));
        ++live;
    }
    if (live == 0) return false;
    database.prepare("INSERT INTO block(slot, size, live) VALUES(?1, ?2, ?3)")
        .bind(1, slot_of(block.first, shelf))
        .bind(2, std::int64_t{block.size})
        .bind(3, live)
        .run();
    database.prepare("INSERT INTO block_lengths(slot, lengths) VALUES(?1, ?2)")
        .bind(1, slot_of(block.first, shelf))
        .bind_blob(2, bytes_of(lengths))
        .run();
    return true;
}

void keep_lists(Database& database, const Tokenizer& tokenizer, const Block& block, Shelf shelf) {
    Gathered gathered(tokenizer);
    auto read = database.prepare("SELECT rowid, title, markdown FROM " + table_of(shelf) +
                                 " WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid");
    read.bind(1, block.first).bind(2, block.first + block.size - 1);
    while (read.step()) {
        const auto place = static_cast<std::uint32_t>(read.integer(0) - block.first);
        gathered.take(place, read.view(1), title_weight);
        gathered.take(place, read.view(2), 1);
    }
    auto keep = database.prepare("INSERT INTO posting(slot, token, documents, list) "
                                 "VALUES(?1, ?2, ?3, ?4)");
    Spreads spreads(database, shelf);
    for (const auto& [token, list] : gathered.common()) {
        const auto documents = static_cast<std::int64_t>(list->size());
        keep.bind(1, slot_of(block.first, shelf))
            .bind(2, token)
            .bind(3, documents)
            .bind_blob(4, packed(*list, block.size))
            .run();
        spreads.change(token, [&](Spread& spread) { spread.add(block.first, documents); });
    }
}

void close_block(Database& database, const Tokenizer& tokenizer, const Block& block) {
    for (const Shelf shelf : shelves)
        if (keep_lengths(database, block, shelf)) keep_lists(database, tokenizer, block, shelf);
}

void remove_block(Database& database, std::int64_t first, Shelf shelf) {
    const auto slot = slot_of(first, shelf);
    Spreads spreads(database, shelf);
    auto lists = database.prepare("SELECT token, documents FROM posting WHERE slot = ?1");
    for (lists.bind(1, slot); lists.step();) {
        const auto documents = lists.integer(1);
        spreads.change(lists.text(0), [&](Spread& spread) { spread.remove(first, documents); });
    }
    lists.reset();
    for (const char* table : {"block", "block_lengths", "posting"})
        database.prepare("DELETE FROM " + std::string(table) + " WHERE slot = ?1")
            .bind(1, slot)
            .run();
}

} // namespace

void make_block_tables(Database& database) {
    database.run("CREATE TABLE block(slot INTEGER PRIMARY KEY, size INTEGER NOT NULL,"
                 " live INTEGER NOT NULL);"
                 "CREATE TABLE block_lengths(slot INTEGER PRIMARY KEY, lengths BLOB NOT NULL);"
                 "CREATE TABLE posting(slot INTEGER NOT NULL, token TEXT NOT NULL,"
                 " documents INTEGER NOT NULL, list BLOB NOT NULL, PRIMARY KEY(slot, token))"
                 " WITHOUT ROWID;"
                 "CREATE TABLE common(shelf INTEGER NOT NULL, token TEXT NOT NULL,"
                 " documents INTEGER NOT NULL, blocks BLOB NOT NULL, PRIMARY KEY(shelf, token))"
                 " WITHOUT ROWID;");
}

std::int64_t close_blocks(Database& database, const Tokenizer& tokenizer, std::int64_t closed,
                          std::int64_t next, bool small_too) {
    for (;;) {
        const auto large = closed / large_block * large_block;
        if (next >= large + large_block) {
            for (auto first = large; first < closed; first += small_block)
                for (const Shelf shelf : shelves) remove_block(database, first, shelf);
            close_block(database, tokenizer, {large, large_block});
            closed = large + large_block;
        } else if (small_too && next >= closed + small_block) {
            close_block(database, tokenizer, {closed, small_block});
            closed += small_block;
        } else {
            return closed;
        }
    }
}

void forget_in_block(Database& database, Shelf shelf, std::int64_t number, std::int64_t closed) {
    const auto large = number / large_block * large_block;
    const auto first = large + large_block <= closed ? large : number / small_block * small_block;
    const auto slot = slot_of(first, shelf);
    auto one_less = database.prepare("UPDATE block SET live = live - 1 WHERE slot = ?1 "
                                     "RETURNING live");
    if (!one_less.bind(1, slot).step()) throw SqlError(SQLITE_CORRUPT, "an entry is in no block");
    const auto live = one_less.integer(0);
    one_less.reset();
    if (live == 0) return remove_block(database, first, shelf);
    constexpr std::uint16_t gone = 0;
    const auto at = static_cast<std::size_t>(number - first) * sizeof gone;
    database.overwrite("block_lengths", "lengths", slot, at,
                       {reinterpret_cast<const char*>(&gone), sizeof gone});
}

Blocks::Blocks(const Database& database, Shelf shelf)
    : shelf_(shelf),
      all_(database.prepare("SELECT slot / 2, size FROM block WHERE slot % 2 = ?1 ORDER BY slot")),
      lengths_(database.prepare("SELECT lengths FROM block_lengths WHERE slot = ?1")),
      spread_(database.prepare(read_spread)),
      list_(database.prepare("SELECT list FROM posting WHERE slot = ?1 AND token = ?2")) {}

std::vector<Block> Blocks::all() {
    std::vector<Block> out;
    all_.reset();
    all_.bind(1, static_cast<std::int64_t>(shelf_));
    while (all_.step())
        out.push_back({all_.integer(0), static_cast<std::uint32_t>(all_.integer(1))});
    return out;
}

void Blocks::lengths(const Block& block, Lengths& out) {
    lengths_.reset();
    lengths_.bind(1, slot_of(block.first, shelf_));
    out.resize(block.size);
    const auto bytes = lengths_.step() ? lengths_.view(0) : std::string_view();
    if (bytes.size() != bytes_of(out).size())
        throw SqlError(SQLITE_CORRUPT, "a block does not say how long its documents are");
    std::memcpy(out.data(), bytes.data(), bytes.size());
}

Spread Blocks::spread(std::string_view token) {
    return spread_of(spread_, shelf_, token);
}

std::string_view Blocks::list(const Block& block, std::string_view token) {
    list_.reset();
    list_.bind(1, slot_of(block.first, shelf_)).bind(2, token);
    if (!list_.step()) throw SqlError(SQLITE_CORRUPT, "a list of the index is missing");
    return list_.view(0);
}

} // namespace knowledge
