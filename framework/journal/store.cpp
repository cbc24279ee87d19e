#include "journal/store.hpp"

#include <algorithm>
#include <map>

#include "journal/bytes.hpp"
#include "journal/codec_parts.hpp"
#include "journal/keys.hpp"
#include "journal/rules.hpp"

namespace foxwedge::journal {
namespace {

std::string value_part_of(std::string_view value, std::vector<Content>& contents) {
    std::string part;
    ByteWriter w(part);
    put_value(w, value, contents, value.size() >= shared_from);
    return part;
}

/// The row around a value that is encoded already (codec: StoreRow).
std::string row_of(std::uint64_t revision, bool removed, std::string_view full_key,
                   std::string_view value_part) {
    std::vector<Content> none;
    std::string row = encode(StoreRow{revision, removed, std::string(full_key), {}}, none);
    row.pop_back(); // the empty value
    row += value_part;
    return row;
}

std::uint64_t revision_of(Txn& txn, std::string_view collection) {
    const auto row = txn.get(Table::collection, collection);
    return row ? from_big_endian(*row) : 0;
}

/// A row that a batch writes, worked out before anything is written.
struct Write {
    const PreparedEffect* from = nullptr;
    std::uint64_t revision = 0;
    std::uint64_t replaces = 0; ///< revision on record, 0 for none
    bool removed = false;
    std::string value_part;
};

/// What a batch will do, seen one effect at a time.
class Plan {
public:
    explicit Plan(Txn& txn) : txn_(txn) {}

    std::optional<std::string> add(const PreparedEffect& e);
    void write(LogWriter&) const;

private:
    struct Current {
        bool exists = false;
        std::uint64_t revision = 0; ///< of the row, a removed one too
        std::optional<std::size_t> write;
    };
    Current current(const PreparedEffect&);

    Txn& txn_;
    std::vector<Write> writes_;
    std::map<std::string, std::uint64_t> revisions_; ///< by collection
    std::map<std::string, std::string> names_;
    std::map<std::pair<std::string, std::string>, std::size_t> written_;
};

Plan::Current Plan::current(const PreparedEffect& e) {
    Current c;
    if (const auto mine = written_.find({e.collection, e.stored_key}); mine != written_.end()) {
        const Write& w = writes_[mine->second];
        return {!w.removed, w.revision, mine->second};
    }
    const auto row = txn_.get(Table::store, e.collection + e.stored_key);
    if (!row) return c;
    if (const auto decoded = decode_store(*row, nullptr))
        return {!decoded->removed, decoded->revision, std::nullopt};
    return c;
}

std::optional<std::string> Plan::add(const PreparedEffect& e) {
    const Current now = current(e);
    if (e.effect.expect && *e.effect.expect != (now.exists ? now.revision : 0))
        return "the store key has another revision than the one expected";
    if (e.effect.kind == Effect::Kind::remove && !now.exists) return std::nullopt;

    Write w;
    w.from = &e;
    w.removed = e.effect.kind == Effect::Kind::remove;
    w.value_part = e.value_part;
    if (e.effect.kind == Effect::Kind::add) {
        std::optional<std::string> value;
        if (now.exists && now.write) {
            ByteReader r(writes_[*now.write].value_part);
            Contents contents(txn_);
            get_value(r, &contents, value.emplace());
        } else if (now.exists) {
            const auto row = txn_.get(Table::store, e.collection + e.stored_key);
            Contents contents(txn_);
            if (auto decoded = row ? decode_store(*row, &contents) : std::nullopt)
                value = std::move(decoded->value_json);
        }
        const auto total = added(value, e.effect.add_json);
        if (!total) return total.error().message;
        // A sum is small; should it not be, it stands in its row all the same.
        ByteWriter part(w.value_part);
        std::vector<Content> none;
        put_value(part, *total, none, false);
    }
    auto& revision =
        revisions_.try_emplace(e.collection, revision_of(txn_, e.collection)).first->second;
    w.revision = ++revision;
    names_[e.collection] = e.effect.collection;
    w.replaces = now.write ? writes_[*now.write].replaces : now.revision;
    if (now.write) {
        writes_[*now.write] = std::move(w); // only the newest state of a key is kept
    } else {
        written_[{e.collection, e.stored_key}] = writes_.size();
        writes_.push_back(std::move(w));
    }
    return std::nullopt;
}

void Plan::write(LogWriter& log) const {
    for (const auto& w : writes_) {
        const auto& e = *w.from;
        for (const auto& c : e.contents) store_content(txn_, log, c.digest, c.frame);
        if (w.replaces != 0) txn_.erase(Table::change, e.collection + big_endian(w.replaces));
        txn_.put(Table::change, e.collection + big_endian(w.revision), e.stored_key);
        txn_.put(Table::store, e.collection + e.stored_key,
                 row_of(w.revision, w.removed, is_shortened(e.effect.key) ? e.effect.key : "",
                        w.value_part));
    }
    for (const auto& [collection, revision] : revisions_)
        txn_.put(Table::collection, collection, big_endian(revision) + names_.at(collection));
}

StoreItem item_of(std::string key, StoreRow&& row) {
    return {std::move(key), std::move(row.value_json), row.revision, row.removed};
}

} // namespace

PreparedContent prepare_content(const Content& c) {
    return {c.digest, prepare(FrameType::content, 1, std::string(c.bytes))};
}

std::vector<PreparedEffect> prepare_effects(std::vector<Effect> effects) {
    std::vector<PreparedEffect> out;
    out.reserve(effects.size());
    for (auto& e : effects) {
        PreparedEffect p;
        p.collection = collection_key(e.collection);
        p.stored_key = shortened(e.key);
        std::vector<Content> contents;
        if (e.kind == Effect::Kind::put)
            p.value_part = value_part_of(e.value_json, contents);
        else if (e.kind == Effect::Kind::remove)
            p.value_part = value_part_of({}, contents);
        for (const auto& c : contents) p.contents.push_back(prepare_content(c));
        e.value_json.clear();
        p.effect = std::move(e);
        out.push_back(std::move(p));
    }
    return out;
}

std::size_t size_of(std::span<const PreparedEffect> effects) {
    std::size_t bytes = 0;
    for (const auto& e : effects) {
        bytes += 200 + 2 * e.stored_key.size() + e.value_part.size();
        for (const auto& c : e.contents) bytes += c.frame.payload.size();
    }
    return bytes;
}

std::optional<std::string> apply_effects(Txn& txn, LogWriter& log,
                                         std::span<const PreparedEffect> effects) {
    if (effects.empty()) return std::nullopt;
    Plan plan(txn);
    for (const auto& e : effects)
        if (auto why = plan.add(e)) return why;
    plan.write(log);
    return std::nullopt;
}

std::optional<std::string> judge_effects(Txn& txn, std::span<const PreparedEffect> effects) {
    Plan plan(txn);
    for (const auto& e : effects)
        if (auto why = plan.add(e)) return why;
    return std::nullopt;
}

void restore_item(Txn& txn, LogWriter& log, const std::string& collection, StoreItem item) {
    Effect effect;
    effect.collection = collection;
    effect.key = item.key;
    effect.value_json = std::move(item.value_json);
    const auto prepared = prepare_effects({std::move(effect)});
    const auto& e = prepared.front();
    for (const auto& c : e.contents) store_content(txn, log, c.digest, c.frame);
    txn.put(Table::change, e.collection + big_endian(item.revision), e.stored_key);
    txn.put(
        Table::store, e.collection + e.stored_key,
        row_of(item.revision, item.removed, is_shortened(item.key) ? item.key : "", e.value_part));
    const auto newest = std::max(revision_of(txn, e.collection), item.revision);
    txn.put(Table::collection, e.collection, big_endian(newest) + collection);
}

std::string collection_of(Txn& txn, std::string_view key) {
    const auto row = txn.get(Table::collection, key);
    return row && row->size() >= 8 ? std::string(row->substr(8)) : std::string();
}

std::optional<StoreItem> store_get(Txn& txn, std::string_view collection, std::string_view key) {
    const auto row = txn.get(Table::store, collection_key(collection) + shortened(key));
    if (!row) return std::nullopt;
    Contents contents(txn);
    auto decoded = decode_store(*row, &contents);
    if (!decoded || decoded->removed) return std::nullopt;
    return item_of(std::string(key), *std::move(decoded));
}

std::vector<StoreItem> store_scan(Txn& txn, std::string_view collection, std::string_view prefix,
                                  std::string_view after, std::size_t limit) {
    // Rows whose stored keys share their first 397 bytes may stand in another order than their
    // whole keys do, so they are sorted as a group. All others are groups of one.
    const std::string base = collection_key(collection);
    const std::string_view from = std::max(prefix, after);
    std::vector<StoreItem> found;
    std::vector<std::pair<std::string, std::string>> group; // whole key, row
    Contents contents(txn);
    const auto flush = [&] {
        std::sort(group.begin(), group.end());
        for (auto& [key, row] : group) {
            if (found.size() >= limit || key <= after || key.rfind(prefix, 0) != 0) continue;
            if (auto decoded = decode_store(row, &contents)) {
                if (!decoded->removed)
                    found.push_back(item_of(std::move(key), *std::move(decoded)));
            }
        }
        group.clear();
    };
    const std::string_view wanted = prefix.substr(0, order_is_exact_below);
    std::string shared;
    Cursor cursor(txn, Table::store);
    for (bool more = cursor.seek(base + std::string(from.substr(0, order_is_exact_below))); more;
         more = cursor.next()) {
        std::string_view stored = cursor.key();
        if (stored.substr(0, base.size()) != base) break;
        stored.remove_prefix(base.size());
        if (stored.substr(0, wanted.size()) != wanted) break;
        const bool same_group = stored.size() >= order_is_exact_below && !group.empty() &&
                                stored.substr(0, order_is_exact_below) == shared;
        if (!same_group) {
            flush();
            if (found.size() >= limit) break;
            shared = stored.substr(0, order_is_exact_below);
        }
        const auto row = decode_store(cursor.value(), nullptr);
        if (!row || row->removed) continue;
        group.emplace_back(row->full_key.empty() ? std::string(stored) : row->full_key,
                           std::string(cursor.value()));
    }
    flush();
    return found;
}

std::vector<StoreItem> store_changes(Txn& txn, std::string_view collection, std::uint64_t revision,
                                     std::size_t limit) {
    const std::string base = collection_key(collection);
    std::vector<StoreItem> found;
    Contents contents(txn);
    Cursor cursor(txn, Table::change);
    for (bool more = cursor.seek(base + big_endian(revision + 1)); more && found.size() < limit;
         more = cursor.next()) {
        if (cursor.key().substr(0, base.size()) != base) break;
        const std::string stored(cursor.value());
        const auto row = txn.get(Table::store, base + stored);
        auto decoded = row ? decode_store(*row, &contents) : std::nullopt;
        if (!decoded) continue;
        std::string key = decoded->full_key.empty() ? stored : decoded->full_key;
        found.push_back(item_of(std::move(key), *std::move(decoded)));
    }
    return found;
}

} // namespace foxwedge::journal
