#include "block.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>

#include "postings.hpp"

namespace knowledge {

namespace {

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

/// Lengths as the blob that is kept: two bytes each, as this machine has them.
std::string_view bytes_of(const Lengths& lengths) {
    return {reinterpret_cast<const char*>(lengths.data()), lengths.size() * sizeof lengths[0]};
}

/// False if the shelf has nothing in the block.
bool keep_lengths(Database& database, std::int64_t block, Shelf shelf) {
    const auto first = block * block_size;
    Lengths lengths(block_size);
    std::int64_t live = 0;
    // The plus keeps SQLite from walking through the whole shelf by its index.
    auto read = database.prepare("SELECT number, words FROM entry WHERE number >= ?1 AND number < "
                                 "?2 AND +shelf = ?3");
    read.bind(1, first).bind(2, first + block_size).bind(3, static_cast<std::int64_t>(shelf));
    while (read.step()) {
        lengths[static_cast<std::size_t>(read.integer(0) - first)] =
            static_cast<std::uint16_t>(std::clamp<std::int64_t>(read.integer(1), 1, longest));
        ++live;
    }
    if (live == 0) return false;
    database.prepare("INSERT INTO block(slot, live) VALUES(?1, ?2)")
        .bind(1, slot_of(block, shelf))
        .bind(2, live)
        .run();
    database.prepare("INSERT INTO block_lengths(slot, lengths) VALUES(?1, ?2)")
        .bind(1, slot_of(block, shelf))
        .bind_blob(2, bytes_of(lengths))
        .run();
    return true;
}

void keep_lists(Database& database, const Tokenizer& tokenizer, std::int64_t block, Shelf shelf) {
    const auto first = block * block_size;
    Gathered gathered(tokenizer);
    auto read = database.prepare("SELECT rowid, title, markdown FROM " + table_of(shelf) +
                                 " WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid");
    read.bind(1, first).bind(2, first + block_size - 1);
    while (read.step()) {
        const auto place = static_cast<std::uint32_t>(read.integer(0) - first);
        gathered.take(place, read.view(1), title_weight);
        gathered.take(place, read.view(2), 1);
    }
    auto keep = database.prepare("INSERT INTO posting(slot, token, documents, list) "
                                 "VALUES(?1, ?2, ?3, ?4)");
    for (const auto& [token, list] : gathered.common())
        keep.bind(1, slot_of(block, shelf))
            .bind(2, token)
            .bind(3, static_cast<std::int64_t>(list->size()))
            .bind_blob(4, packed(*list))
            .run();
}

} // namespace

void make_block_tables(Database& database) {
    database.run("CREATE TABLE block(slot INTEGER PRIMARY KEY, live INTEGER NOT NULL);"
                 "CREATE TABLE block_lengths(slot INTEGER PRIMARY KEY, lengths BLOB NOT NULL);"
                 "CREATE TABLE posting(slot INTEGER NOT NULL, token TEXT NOT NULL,"
                 " documents INTEGER NOT NULL, list BLOB NOT NULL, PRIMARY KEY(slot, token))"
                 " WITHOUT ROWID;");
}

void close_block(Database& database, const Tokenizer& tokenizer, std::int64_t block) {
    for (const Shelf shelf : shelves)
        if (keep_lengths(database, block, shelf)) keep_lists(database, tokenizer, block, shelf);
}

void forget_in_block(Database& database, Shelf shelf, std::int64_t number) {
    const auto slot = slot_of(number / block_size, shelf);
    auto one_less = database.prepare("UPDATE block SET live = live - 1 WHERE slot = ?1 "
                                     "RETURNING live");
    if (!one_less.bind(1, slot).step()) throw SqlError(SQLITE_CORRUPT, "an entry is in no block");
    const auto live = one_less.integer(0);
    one_less.reset();
    if (live == 0) {
        for (const char* table : {"block", "block_lengths", "posting"})
            database.prepare("DELETE FROM " + std::string(table) + " WHERE slot = ?1")
                .bind(1, slot)
                .run();
        return;
    }
    constexpr std::uint16_t gone = 0;
    const auto at = static_cast<std::size_t>(number % block_size) * sizeof gone;
    database.overwrite("block_lengths", "lengths", slot, at,
                       {reinterpret_cast<const char*>(&gone), sizeof gone});
}

Blocks::Blocks(const Database& database, Shelf shelf)
    : shelf_(shelf),
      all_(database.prepare("SELECT slot / 2 FROM block WHERE slot % 2 = ?1 ORDER BY slot")),
      lengths_(database.prepare("SELECT lengths FROM block_lengths WHERE slot = ?1")),
      having_(database.prepare("SELECT documents FROM posting WHERE slot = ?1 AND token = ?2")),
      list_(database.prepare("SELECT list FROM posting WHERE slot = ?1 AND token = ?2")) {}

std::vector<std::int64_t> Blocks::all() {
    std::vector<std::int64_t> out;
    all_.reset();
    all_.bind(1, static_cast<std::int64_t>(shelf_));
    while (all_.step()) out.push_back(all_.integer(0));
    return out;
}

void Blocks::lengths(std::int64_t block, Lengths& out) {
    lengths_.reset();
    lengths_.bind(1, slot_of(block, shelf_));
    out.resize(block_size);
    const auto bytes = lengths_.step() ? lengths_.view(0) : std::string_view();
    if (bytes.size() != bytes_of(out).size())
        throw SqlError(SQLITE_CORRUPT, "a block does not say how long its documents are");
    std::memcpy(out.data(), bytes.data(), bytes.size());
}

std::int64_t Blocks::having(std::int64_t block, std::string_view token) {
    having_.reset();
    having_.bind(1, slot_of(block, shelf_)).bind(2, token);
    return having_.step() ? having_.integer(0) : 0;
}

std::string_view Blocks::list(std::int64_t block, std::string_view token) {
    list_.reset();
    list_.bind(1, slot_of(block, shelf_)).bind(2, token);
    return list_.step() ? list_.view(0) : std::string_view();
}

} // namespace knowledge
