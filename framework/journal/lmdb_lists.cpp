#include <algorithm>
#include <list>
#include <set>

#include "base/id.hpp"
#include "journal/bytes.hpp"
#include "journal/keys.hpp"
#include "journal/lmdb_process.hpp"
#include "journal/rules.hpp"

namespace foxwedge::journal {
namespace {

std::size_t rows_of(int limit) {
    return static_cast<std::size_t>(std::max(limit, 0));
}

bool matches(const RunHead& h, const RunQuery& q) {
    return (q.status.empty() ||
            std::find(q.status.begin(), q.status.end(), h.status) != q.status.end()) &&
           (q.host.empty() || h.host == q.host) &&
           (q.workflow.empty() || h.workflow == q.workflow) &&
           (q.parent.empty() || h.parent == q.parent) && (q.root.empty() || h.root == q.root);
}

/// Ids newest first, from below `after`, out of the run table or one status of the index.
class IdsBackwards {
public:
    IdsBackwards(Txn& txn, std::optional<RunStatus> status, const RunQuery& q)
        : cursor_(txn, status ? Table::status : Table::run) {
        if (status) prefix_ = std::string(1, static_cast<char>(*status));
        // The first key that is too new, then one back.
        std::string from = prefix_;
        if (!q.after.empty())
            from += packed_id(q.after);
        else if (!q.id_prefix.empty()) {
            std::string last = q.id_prefix.substr(0, id_length);
            last.resize(id_length, 'Z');
            from += packed_id(last);
            from += '\0';
        } else
            from += std::string(packed_id_length, '\xFF');
        more_ = cursor_.seek(from) ? cursor_.previous() : cursor_.last();
        settle();
    }
    bool more() const { return more_; }
    std::string_view id() const { return cursor_.key().substr(prefix_.size()); }
    void next() {
        more_ = cursor_.previous();
        settle();
    }

private:
    void settle() { more_ = more_ && cursor_.key().substr(0, prefix_.size()) == prefix_; }
    Cursor cursor_;
    std::string prefix_;
    bool more_ = false;
};

/// Those of the wanted statuses, by their index, or of all: newest first.
class WantedIds {
public:
    WantedIds(Txn& txn, const RunQuery& q) {
        if (q.status.empty()) lists_.emplace_back(txn, std::nullopt, q);
        for (const auto status : std::set(q.status.begin(), q.status.end()))
            lists_.emplace_back(txn, status, q);
        choose();
    }
    bool more() const { return newest_ != lists_.end(); }
    std::string_view id() const { return newest_->id(); }
    void next() {
        newest_->next();
        choose();
    }

private:
    void choose() {
        newest_ = lists_.end();
        for (auto list = lists_.begin(); list != lists_.end(); ++list)
            if (list->more() && (newest_ == lists_.end() || newest_->id() < list->id()))
                newest_ = list;
    }
    std::list<IdsBackwards> lists_;
    std::list<IdsBackwards>::iterator newest_;
};

/// The least id with that time, packed.
std::string first_id_of(Time time) {
    std::string id = new_id(std::max(time, Time{}));
    return packed_lower_bound(id.substr(0, id_time_length));
}

/// Ids below `oldest` of runs created at `since` or later, packed, newest first.
std::vector<std::string> late_ids(Txn& txn, Time since, const std::string& oldest) {
    std::vector<std::string> ids;
    const std::string lists = late_key(Time{}, {}).substr(0, packed_id_length + 1);
    Cursor cursor(txn, Table::side);
    for (bool more = cursor.seek(late_key(std::max(since, Time{}), {}));
         more && cursor.key().starts_with(lists); more = cursor.next()) {
        const std::string id(cursor.key().substr(cursor.key().size() - packed_id_length));
        if (id < oldest) ids.push_back(id);
    }
    std::sort(ids.rbegin(), ids.rend());
    return ids;
}

} // namespace

Result<RunHead> LmdbEngine::head(std::string_view run) {
    if (core_->abandoned) return core_->gone();
    if (!is_id(run)) return no_such_run(run);
    core_->settle();
    core_->pay(packed_id(run));
    Txn txn = core_->read();
    auto loaded = load_run(txn, packed_id(run), Load::head);
    if (txn.error() != 0) return core_->fault(txn.error());
    if (!loaded) return no_such_run(run);
    if (loaded->damage) return damage_error(run, *loaded->damage);
    return std::move(loaded->head);
}

Result<std::vector<RunHead>> LmdbEngine::runs(const RunQuery& q) {
    if (core_->abandoned) return core_->gone();
    core_->settle();
    if (q.root.empty())
        core_->pay_older(Millis(0));
    else
        core_->pay(packed_id(q.root));
    Txn txn = core_->read();
    std::vector<RunHead> found;
    const auto take = [&](std::string_view packed) {
        auto loaded = load_run(txn, packed, Load::head_for_list);
        if (loaded && matches(loaded->head, q) && (!q.since || loaded->head.created >= *q.since))
            found.push_back(std::move(loaded->head));
    };
    // What is younger than an older id says is listed by its own time.
    const bool by_time = q.since && txn.get(Table::meta, lists_late);
    const std::string oldest = by_time ? first_id_of(*q.since - late_from) : std::string();
    for (WantedIds ids(txn, q); ids.more() && found.size() < rows_of(q.limit); ids.next()) {
        if (ids.id() < oldest) break;
        const std::string id = unpacked_id(ids.id());
        if (id.rfind(q.id_prefix, 0) != 0) {
            if (id < q.id_prefix) break;
            continue;
        }
        take(ids.id());
    }
    if (by_time)
        for (const auto& id : late_ids(txn, *q.since, oldest)) {
            if (found.size() >= rows_of(q.limit)) break;
            if ((q.after.empty() || id < packed_id(q.after)) &&
                unpacked_id(id).rfind(q.id_prefix, 0) == 0)
                take(id);
        }
    return checked(txn, std::move(found));
}

Result<std::vector<Gate>> LmdbEngine::gates(const GateQuery& q) {
    if (core_->abandoned) return core_->gone();
    core_->settle();
    Txn txn = core_->read();
    std::vector<Gate> found;
    const auto take = [&](std::string_view packed) {
        auto g = read_gate(txn, packed);
        if (!g) return;
        const Gate& gate = g->gate;
        if ((q.run.empty() || gate.run == q.run) && (q.root.empty() || gate.root == q.root) &&
            (q.kind.empty() || gate.kind == q.kind) && gate.id.rfind(q.id_prefix, 0) == 0 &&
            (!q.pending_only || gate.status == Gate::Status::pending))
            found.push_back(std::move(g->gate));
    };
    // The narrowest index: a run's own gates, else the pending ones, else all.
    const bool by_run = !q.run.empty();
    const std::string prefix = by_run ? side_key(packed_id(q.run), side_gate) : std::string();
    std::string from = prefix;
    const std::string after = q.after.empty() ? std::string() : packed_id(q.after);
    const std::string lower = q.id_prefix.empty() ? std::string() : packed_lower_bound(q.id_prefix);
    from += std::max(after, lower);
    Cursor cursor(txn, by_run ? Table::side : q.pending_only ? Table::pending : Table::gate);
    for (bool more = cursor.seek(from); more && found.size() < rows_of(q.limit);
         more = cursor.next()) {
        if (cursor.key().substr(0, prefix.size()) != prefix) break;
        const std::string id(cursor.key().substr(prefix.size()));
        if (id == after) continue;
        if (!q.id_prefix.empty() && unpacked_id(id).rfind(q.id_prefix, 0) != 0) break;
        take(id);
    }
    return checked(txn, std::move(found));
}

Result<std::vector<Record>> LmdbEngine::records(std::string_view run) {
    if (core_->abandoned) return core_->gone();
    if (!is_id(run)) return no_such_run(run);
    const std::string packed = packed_id(run);
    core_->pay(packed);
    Txn txn = core_->read();
    auto loaded = load_run(txn, packed, Load::all);
    if (txn.error() != 0) return core_->fault(txn.error());
    if (!loaded) return no_such_run(run);
    if (loaded->damage) return damage_error(run, *loaded->damage);
    return checked(txn, records_of(txn, packed, std::move(loaded->entries)));
}

Result<std::optional<StoreItem>> LmdbEngine::get(std::string_view collection,
                                                 std::string_view key) {
    if (core_->abandoned) return core_->gone();
    Txn txn = core_->read();
    return checked(txn, store_get(txn, collection, key));
}

Result<std::vector<StoreItem>> LmdbEngine::scan(std::string_view collection,
                                                std::string_view prefix, std::string_view after,
                                                int limit) {
    if (core_->abandoned) return core_->gone();
    Txn txn = core_->read();
    return checked(txn, store_scan(txn, collection, prefix, after, rows_of(limit)));
}

Result<std::vector<StoreItem>> LmdbEngine::changes(std::string_view collection,
                                                   std::uint64_t revision, int limit) {
    if (core_->abandoned) return core_->gone();
    Txn txn = core_->read();
    return checked(txn, store_changes(txn, collection, revision, rows_of(limit)));
}

Result<Verdict> LmdbEngine::apply(std::span<const Effect> effects) {
    if (unfit(effects, limits())) return Verdict::full;
    const auto prepared = prepare_effects({effects.begin(), effects.end()});
    for (const auto& e : prepared)
        if (const int error = core_->write_large(e.contents); error != 0)
            return core_->fault(error);
    Verdict verdict = Verdict::recorded;
    const int error = core_->write(
        [&](Transitions&, WriteScope& scope) {
            verdict = apply_effects(scope.txn, scope.log, prepared) ? Verdict::conflict
                                                                    : Verdict::recorded;
        },
        size_of(std::span<const PreparedEffect>(prepared)), false);
    if (is_full(error)) return Verdict::full;
    if (error != 0) return core_->fault(error);
    return verdict;
}

} // namespace foxwedge::journal
