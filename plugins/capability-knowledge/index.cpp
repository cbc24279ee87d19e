#include "index.hpp"

#include <cstdio>

#include "common/result.hpp"
#include "feed.hpp"
#include "query.hpp"
#include "relevance.hpp"
#include "tokenizer.hpp"

namespace knowledge {

using foxwedge::plugin::Call, foxwedge::plugin::Store;

namespace {

// Of a question that more documents fit than these, the ones changed last are ranked; and a word in
// more than these is common, and not searched for by itself beside rarer ones.
constexpr std::int64_t most_ranked = 5'000;

/// The full-text table of a shelf.
std::string table_of(Shelf shelf) {
    return shelf == Shelf::documents ? "document_text" : "memory_text";
}

std::int64_t documents_with(const Database& database, const std::string& table,
                            std::string_view expression) {
    auto count = database.prepare("SELECT count(*) FROM (SELECT 1 FROM " + table + " WHERE " +
                                  table + " MATCH ?1 LIMIT ?2)");
    count.bind(1, expression).bind(2, most_ranked + 1).step();
    return count.integer(0);
}

/// A question taken apart, and what each phrase is worth.
struct Asked {
    std::vector<std::string> phrases;
    std::vector<double> rarities;
};

Asked taken_apart(const Database& database, const std::string& table, const Question& question) {
    const bool any = question.place.any;
    Asked asked;
    std::vector<std::string> common;
    auto total = database.prepare("SELECT coalesce(max(number), 0) FROM entry");
    total.step();
    for (auto& phrase : phrases_of(question.words, any)) {
        const auto having = documents_with(database, table, phrase);
        if (any && having > most_ranked) {
            common.push_back(std::move(phrase));
            continue;
        }
        asked.phrases.push_back(std::move(phrase));
        asked.rarities.push_back(rarity(having, std::max(total.integer(0), having)));
    }
    if (asked.phrases.empty()) {
        asked.rarities.assign(common.size(), 1);
        asked.phrases = std::move(common);
    }
    return asked;
}

/// Numbers of the entries that fit, best first.
std::vector<std::int64_t> ranked(const Database& database, const std::string& table,
                                 const std::string& expression, const Asked& asked,
                                 const Question& question) {
    std::string values;
    for (std::size_t n = 0; n < asked.rarities.size(); ++n) values += ", ?" + std::to_string(n + 5);
    auto best =
        database.prepare("SELECT number FROM (SELECT rowid AS number, relevance(" + table + values +
                         ") AS score FROM " + table + " WHERE " + table +
                         " MATCH ?1 ORDER BY rowid DESC LIMIT ?2) ORDER BY score DESC, number DESC"
                         " LIMIT ?3 OFFSET ?4");
    best.bind(1, expression).bind(2, most_ranked);
    best.bind(3, std::int64_t{question.limit} + 1).bind(4, question.place.offset);
    for (std::size_t n = 0; n < asked.rarities.size(); ++n)
        best.bind(static_cast<int>(n) + 5, asked.rarities[n]);
    std::vector<std::int64_t> found;
    while (best.step()) found.push_back(best.integer(0));
    return found;
}

Hit hit_of(const Database& database, const std::string& table, const std::string& expression,
           std::int64_t number) {
    auto read = database.prepare("SELECT entry.id, entry.title, snippet(" + table +
                                 ", 1, '', '', '…', 32) FROM " + table +
                                 " JOIN entry ON entry.number = " + table + ".rowid WHERE " +
                                 table + " MATCH ?1 AND " + table + ".rowid = ?2");
    read.bind(1, expression).bind(2, number);
    if (!read.step()) throw SqlError(SQLITE_CORRUPT, "the index names an entry that it has not");
    return {read.text(0), read.text(1), read.text(2), number};
}

Page searched(const Database& database, Shelf shelf, Question question) {
    const auto table = table_of(shelf);
    const auto asked = taken_apart(database, table, question);
    if (asked.phrases.empty()) return {};
    const auto expression =
        expression_of(asked.phrases, question.place.any ? Joined::any : Joined::all);
    auto numbers = ranked(database, table, expression, asked, question);
    if (numbers.empty() && !question.place.any && question.place.offset == 0) {
        question.place.any = true;
        return searched(database, shelf, question);
    }
    Page page;
    if (numbers.size() > static_cast<std::size_t>(question.limit)) {
        numbers.pop_back();
        const SearchPlace next{question.place.any, question.place.offset + question.limit};
        page.cursor = search_cursor(next, question.words);
    }
    for (const auto number : numbers)
        page.hits.push_back(hit_of(database, table, expression, number));
    return page;
}

Page listed(const Database& database, Shelf shelf, std::int64_t after, int limit) {
    auto read = database.prepare("SELECT number, id, title FROM entry WHERE shelf = ?1 AND number "
                                 "> ?2 ORDER BY number LIMIT ?3");
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
    made->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    add_tokenizer(*made);
    add_relevance(*made);
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
    return up_to_date(
        call, store, [&](const Database& database) { return searched(database, shelf, question); });
}

} // namespace knowledge
