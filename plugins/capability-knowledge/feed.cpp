#include "feed.hpp"

#include <algorithm>

#include "block.hpp"
#include "common/store_ops.hpp"
#include "shelf.hpp"

namespace knowledge {

using namespace foxwedge::plugin;

namespace {

constexpr std::int64_t layout = 4; // 4: small and large blocks with the lists of common words
constexpr int most_pages = 64;     // of one transaction
constexpr int full_page = 200, careful_page = 20;
constexpr std::size_t large_page = 4u << 20; // bytes of text after which the next page is smaller

/// How far the index follows the store: the newest change that it has, and its key.
struct Reached {
    std::int64_t revision = 0;
    std::string key;
    std::int64_t next = 0;   ///< the number of the next entry
    std::int64_t closed = 0; ///< entries below are in closed blocks
};

Reached reached(const Database& database) {
    auto read = database.prepare("SELECT revision, key, next, closed FROM reached");
    if (!read.step()) throw SqlError(SQLITE_CORRUPT, "the index does not say how far it is");
    return {read.integer(0), read.text(1), read.integer(2), read.integer(3)};
}

/// Changes from `from` on, the newest one known included: if it has vanished without a newer one,
/// or has another key, this is another store.
Array changes_from(const Store& store, const Call& call, const Reached& from, int limit) {
    const auto after = std::max<std::int64_t>(from.revision - 1, 0);
    Array items =
        capability_kit::ask(
            store, call,
            object({{"op", "changes"}, {"scope", "project"}, {"after", after}, {"limit", limit}}))
            .array("items");
    if (from.revision == 0) return items;
    const bool foreign = items.empty() || (items.front().integer("revision", 0) == from.revision &&
                                           items.front().string("key") != from.key);
    if (foreign) throw SqlError(SQLITE_CORRUPT, "the index belongs to another store");
    if (items.front().integer("revision", 0) == from.revision) items.erase(items.begin());
    return items;
}

/// The statements of one transaction.
class Writer {
public:
    Writer(Database& database, Reached& at)
        : database_(database), at_(at), tokenizer_(database),
          find_(database.prepare("SELECT number, shelf, words FROM entry WHERE id = ?1")),
          forget_(database.prepare("DELETE FROM entry WHERE number = ?1")),
          add_(database.prepare("INSERT INTO entry(number, id, shelf, title, revision, words) "
                                "VALUES(?1,?2,?3,?4,?5,?6)")),
          forget_text_{database.prepare("DELETE FROM document_text WHERE rowid = ?1"),
                       database.prepare("DELETE FROM memory_text WHERE rowid = ?1")},
          add_text_{database.prepare("INSERT INTO document_text(rowid, title, markdown) "
                                     "VALUES(?1,?2,?3)"),
                    database.prepare("INSERT INTO memory_text(rowid, title, markdown) "
                                     "VALUES(?1,?2,?3)")} {}

    /// How much text it was.
    std::size_t take(const Value& change) {
        at_.revision = change.integer("revision", 0);
        at_.key = change.string("key");
        std::string_view id = at_.key;
        if (id.substr(0, document_prefix.size()) != document_prefix) return 0;
        id.remove_prefix(document_prefix.size());
        forget(id);
        return change.boolean("deleted", false) ? 0 : add(id, change["value"]);
    }

    /// Closes the blocks that are full now, and writes down how far this goes. `more` will follow.
    void finish(bool more) {
        at_.closed = close_blocks(database_, tokenizer_, at_.closed, at_.next, !more);
        for (const Shelf shelf : shelves)
            database_
                .prepare("UPDATE total SET documents = documents + ?1, words = words + ?2 "
                         "WHERE shelf = ?3")
                .bind(1, documents_[index_of(shelf)])
                .bind(2, words_[index_of(shelf)])
                .bind(3, static_cast<std::int64_t>(shelf))
                .run();
        database_.prepare("UPDATE reached SET revision = ?1, key = ?2, next = ?3, closed = ?4")
            .bind(1, at_.revision)
            .bind(2, at_.key)
            .bind(3, at_.next)
            .bind(4, at_.closed)
            .run();
    }

private:
    static std::size_t index_of(Shelf shelf) { return static_cast<std::size_t>(shelf); }

    void count(Shelf shelf, std::int64_t documents, std::int64_t words) {
        documents_[index_of(shelf)] += documents;
        words_[index_of(shelf)] += words;
    }

    void forget(std::string_view id) {
        find_.bind(1, id);
        if (find_.step()) {
            const auto number = find_.integer(0);
            const auto shelf = find_.integer(1) == 0 ? Shelf::documents : Shelf::memories;
            count(shelf, -1, -find_.integer(2));
            forget_text_[index_of(shelf)].bind(1, number).run();
            forget_.bind(1, number).run();
            if (number < at_.closed) forget_in_block(database_, shelf, number, at_.closed);
        }
        find_.reset();
    }

    std::size_t add(std::string_view id, const Value& value) {
        const bool memory = id.substr(0, memory_prefix.size()) == memory_prefix;
        const auto shelf = memory ? Shelf::memories : Shelf::documents;
        const auto title = value.string("title");
        const auto markdown = value.string("markdown");
        const auto words = words_in(title) + words_in(markdown);
        count(shelf, 1, words);
        add_.bind(1, at_.next).bind(2, id).bind(3, static_cast<std::int64_t>(shelf));
        add_.bind(4, title).bind(5, at_.revision).bind(6, words).run();
        auto& add_text = add_text_[index_of(shelf)];
        add_text.bind(1, at_.next).bind(2, title).bind(3, markdown).run();
        ++at_.next;
        return title.size() + markdown.size();
    }

    std::int64_t words_in(std::string_view text) const {
        std::int64_t words = 0;
        tokenizer_.each(text, Tokenizer::Text::document,
                        [&](const Tokenizer::Token& token) { words += !token.beside; });
        return words;
    }

    Database& database_;
    Reached& at_;
    const Tokenizer tokenizer_;
    Statement find_, forget_, add_;
    Statement forget_text_[2], add_text_[2];
    std::int64_t documents_[2] = {}, words_[2] = {}; ///< by how many more there are, by shelf
};

/// One transaction's worth. False once there is nothing more.
bool take_some(Database& database, const Store& store, const Call& call) {
    Transaction transaction(database);
    auto at = reached(database);
    int limit = full_page;
    bool more = true;
    Writer writer(database, at);
    for (int page = 0; more && page < most_pages && !call.cancelled(); ++page) {
        const auto changes = changes_from(store, call, at, limit);
        more = !changes.empty();
        std::size_t text = 0;
        for (const auto& change : changes) text += writer.take(change);
        limit = text > large_page ? careful_page : full_page;
    }
    writer.finish(more);
    transaction.commit();
    return more;
}

} // namespace

void prepare_index(Database& database) {
    Transaction transaction(database);
    auto version = database.prepare("PRAGMA user_version");
    version.step();
    const auto found = version.integer(0);
    version.reset();
    if (found == layout) return;
    if (found != 0) throw SqlError(SQLITE_CORRUPT, "the index has another layout");
    database.run("CREATE TABLE reached(revision INTEGER NOT NULL, key TEXT NOT NULL,"
                 " next INTEGER NOT NULL, closed INTEGER NOT NULL);"
                 "INSERT INTO reached VALUES(0, '', 0, 0);"
                 "CREATE TABLE total(shelf INTEGER PRIMARY KEY, documents INTEGER NOT NULL,"
                 " words INTEGER NOT NULL);"
                 "INSERT INTO total VALUES(0, 0, 0), (1, 0, 0);"
                 "CREATE TABLE entry(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
                 " shelf INTEGER NOT NULL, title TEXT NOT NULL, revision INTEGER NOT NULL,"
                 " words INTEGER NOT NULL);"
                 "CREATE INDEX entry_shelf ON entry(shelf, revision);"
                 "CREATE VIRTUAL TABLE document_text USING fts5(title, markdown,"
                 " tokenize = foxwedge);"
                 "CREATE VIRTUAL TABLE memory_text USING fts5(title, markdown,"
                 " tokenize = foxwedge);");
    make_block_tables(database);
    database.run(("PRAGMA user_version = " + std::to_string(layout)).c_str());
    transaction.commit();
}

void feed(Database& database, const Store& store, const Call& call) {
    // Most often nothing is new, and then no lock is needed.
    if (changes_from(store, call, reached(database), 2).empty()) return;
    while (take_some(database, store, call)) call.check_cancelled();
    call.check_cancelled();
}

} // namespace knowledge
