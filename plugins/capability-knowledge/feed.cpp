#include "feed.hpp"

#include <algorithm>

#include "common/store_ops.hpp"
#include "index.hpp"

namespace knowledge {

using namespace foxwedge::plugin;

namespace {

constexpr std::int64_t layout = 2; // 2: characters of scripts without spaces alone, too
constexpr int most_pages = 64;     // of one transaction
constexpr int full_page = 200, careful_page = 20;
constexpr std::size_t large_page = 4u << 20; // bytes of text after which the next page is smaller

/// How far the index follows the store: the newest change that it has, and its key.
struct Reached {
    std::int64_t revision = 0;
    std::string key;
};

Reached reached(const Database& database) {
    auto read = database.prepare("SELECT revision, key FROM reached");
    if (!read.step()) throw SqlError(SQLITE_CORRUPT, "the index does not say how far it is");
    return {read.integer(0), read.text(1)};
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
    explicit Writer(const Database& database)
        : find_(database.prepare("SELECT number, shelf FROM entry WHERE id = ?1")),
          forget_(database.prepare("DELETE FROM entry WHERE number = ?1")),
          add_(database.prepare("INSERT INTO entry(number, id, shelf, title) VALUES(?1,?2,?3,?4)")),
          forget_text_{database.prepare("DELETE FROM document_text WHERE rowid = ?1"),
                       database.prepare("DELETE FROM memory_text WHERE rowid = ?1")},
          add_text_{database.prepare("INSERT INTO document_text(rowid, title, markdown) "
                                     "VALUES(?1,?2,?3)"),
                    database.prepare("INSERT INTO memory_text(rowid, title, markdown) "
                                     "VALUES(?1,?2,?3)")},
          reach_(database.prepare("UPDATE reached SET revision = ?1, key = ?2")) {}

    /// How much text it was.
    std::size_t take(const Value& change) {
        std::string_view id = change.string("key");
        if (id.substr(0, document_prefix.size()) != document_prefix) return 0;
        id.remove_prefix(document_prefix.size());
        forget(id);
        return change.boolean("deleted", false) ? 0 : add(id, change);
    }

    void reach(const Value& change) {
        reach_.bind(1, change.integer("revision", 0)).bind(2, change.string("key")).run();
    }

private:
    void forget(std::string_view id) {
        find_.bind(1, id);
        if (find_.step()) {
            const auto number = find_.integer(0);
            forget_text_[find_.integer(1) != 0].bind(1, number).run();
            forget_.bind(1, number).run();
        }
        find_.reset();
    }

    std::size_t add(std::string_view id, const Value& change) {
        const bool memory = id.substr(0, memory_prefix.size()) == memory_prefix;
        const auto shelf = static_cast<std::int64_t>(memory ? Shelf::memories : Shelf::documents);
        const auto number = change.integer("revision", 0);
        const auto title = change["value"].string("title");
        const auto markdown = change["value"].string("markdown");
        add_.bind(1, number).bind(2, id).bind(3, shelf).bind(4, title).run();
        add_text_[memory].bind(1, number).bind(2, title).bind(3, markdown).run();
        return title.size() + markdown.size();
    }

    Statement find_, forget_, add_;
    Statement forget_text_[2], add_text_[2];
    Statement reach_;
};

/// One transaction's worth. False once there is nothing more.
bool take_some(Database& database, const Store& store, const Call& call) {
    Transaction transaction(database);
    auto from = reached(database);
    int limit = full_page;
    bool more = true;
    Writer writer(database);
    for (int page = 0; more && page < most_pages && !call.cancelled(); ++page) {
        const auto changes = changes_from(store, call, from, limit);
        more = !changes.empty();
        std::size_t text = 0;
        for (const auto& change : changes) text += writer.take(change);
        if (!more) break;
        writer.reach(changes.back());
        from = {changes.back().integer("revision", 0), std::string(changes.back().string("key"))};
        limit = text > large_page ? careful_page : full_page;
    }
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
    database.run("CREATE TABLE reached(revision INTEGER NOT NULL, key TEXT NOT NULL);"
                 "INSERT INTO reached VALUES(0, '');"
                 "CREATE TABLE entry(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
                 " shelf INTEGER NOT NULL, title TEXT NOT NULL);"
                 "CREATE INDEX entry_shelf ON entry(shelf);"
                 "CREATE VIRTUAL TABLE document_text USING fts5(title, markdown,"
                 " tokenize = foxwedge);"
                 "CREATE VIRTUAL TABLE memory_text USING fts5(title, markdown,"
                 " tokenize = foxwedge);");
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
