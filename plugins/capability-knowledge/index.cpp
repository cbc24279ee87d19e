#include "index.hpp"

#include <cstdio>

#include "common/result.hpp"
#include "feed.hpp"
#include "query.hpp"
#include "ranking.hpp"
#include "snippet.hpp"
#include "tokenizer.hpp"

namespace knowledge {

using foxwedge::plugin::Call, foxwedge::plugin::Store;

namespace {

/// Those entries with a snippet of what was asked for.
std::vector<Hit> hits_of(const Database& database, Shelf shelf, const Snippets& snippets,
                         const std::vector<std::int64_t>& numbers) {
    const auto table = table_of(shelf);
    auto read = database.prepare("SELECT entry.id, entry.title, " + table +
                                 ".markdown, entry.revision FROM entry JOIN " + table + " ON " +
                                 table + ".rowid = entry.number WHERE entry.number = ?1");
    std::vector<Hit> hits;
    for (const auto number : numbers) {
        read.bind(1, number);
        if (!read.step())
            throw SqlError(SQLITE_CORRUPT, "the index names an entry that it has not");
        hits.push_back({read.text(0), read.text(1), snippets.of(read.view(2)), read.integer(3)});
        read.reset();
    }
    return hits;
}

Page searched(Database& database, Shelf shelf, const Question& question) {
    const Tokenizer tokenizer(database);
    const auto terms = terms_of(words_of(question.words), tokenizer);
    auto place = question.place;
    Ranking ranking(database, shelf, terms);
    const auto numbers_of = [&](Joined joined) {
        return ranking.best(joined, place.offset, question.limit + 1);
    };
    auto numbers = numbers_of(place.any ? Joined::any : Joined::all);
    if (numbers.empty() && !place.any && place.offset == 0) {
        place.any = true;
        numbers = numbers_of(Joined::any);
    }
    Page page;
    if (numbers.size() > static_cast<std::size_t>(question.limit)) {
        numbers.pop_back();
        place.offset += question.limit;
        page.cursor = search_cursor(place, question.words);
    }
    page.hits = hits_of(database, shelf, Snippets(terms, tokenizer), numbers);
    return page;
}

Page listed(const Database& database, Shelf shelf, std::int64_t after, int limit) {
    auto read = database.prepare("SELECT revision, id, title FROM entry WHERE shelf = ?1 AND "
                                 "revision > ?2 ORDER BY revision LIMIT ?3");
    read.bind(1, static_cast<std::int64_t>(shelf)).bind(2, after);
    read.bind(3, std::int64_t{limit} + 1);
    Page page;
    while (read.step()) {
        if (page.hits.size() == static_cast<std::size_t>(limit)) {
            page.cursor = list_cursor(page.hits.back().revision);
            break;
        }
        page.hits.push_back({read.text(1), read.text(2), {}, read.integer(0)});
    }
    return page;
}

} // namespace

void Index::open() {
    if (database_) return;
    auto made = std::make_unique<Database>(path_);
    // The cache, in KiB, holds what questions read again and again.
    made->run(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768;");
    add_tokenizer(*made);
    add_frequency(*made);
    prepare_index(*made);
    database_ = std::move(made);
}

void Index::discard() {
    database_.reset();
    for (const char* end : {"", "-wal", "-shm"})
        if (!path_.empty()) std::remove((path_ + end).c_str());
}

template <class Work>
Page Index::up_to_date(const Call& call, const Store& store, Work&& work) {
    const std::lock_guard lock(mutex_);
    for (bool again = true;; again = false) {
        try {
            open();
            feed(*database_, store, call);
            const Reading reading(*database_);
            return work(*database_);
        } catch (const SqlError& error) {
            if (!again || !error.is_damage())
                throw capability_kit::Refused{
                    "unavailable", std::string("the search index cannot be used: ") + error.what(),
                    nullptr};
            discard();
        }
    }
}

Page Index::list(const Call& call, const Store& store, Shelf shelf, std::int64_t after, int limit) {
    return up_to_date(call, store, [&](const Database& database) {
        return listed(database, shelf, after, limit);
    });
}

Page Index::search(const Call& call, const Store& store, Shelf shelf, const Question& question) {
    return up_to_date(call, store,
                      [&](Database& database) { return searched(database, shelf, question); });
}

} // namespace knowledge
