#include "journal/transitions.hpp"

#include <algorithm>
#include <set>

#include "journal/bytes.hpp"
#include "journal/keys.hpp"
#include "journal/rules.hpp"

namespace foxwedge::journal {

std::size_t PreparedRun::bytes() const {
    std::size_t bytes = 600 + row.size() + seed.payload.size();
    for (const auto& c : contents) bytes += c.frame.payload.size();
    return bytes;
}

PreparedRun prepare_run(const NewRun& wanted, std::string_view root, Time now) {
    PreparedRun run;
    std::vector<Content> contents;
    RunRow row{wanted.host,        wanted.workflow,    wanted.key, wanted.parent,
               std::string(root),  wanted.forked_from, now,        wanted.input_json,
               wanted.config_json, wanted.labels_json};
    run.id = packed_id(wanted.id);
    if (!wanted.parent.empty()) run.parent = packed_id(wanted.parent);
    if (!wanted.key.empty())
        run.key_digest = start_key_digest(wanted.host, wanted.workflow, wanted.key);
    run.input = sha256(wanted.input_json);
    run.created = now;
    run.row = encode(row, contents);
    std::string payload;
    std::vector<Entry> seeds;
    seeds.reserve(wanted.seed.size()); // contents borrow from the entries: they must stay
    for (const auto& r : wanted.seed) {
        Entry& e = seeds.emplace_back();
        e.type = EntryType::seed;
        e.key = r.key;
        e.generation = r.generation;
        e.attempts = r.attempts;
        e.outcome = r.outcome;
        e.usage_json = r.usage_json;
        e.trace_id = r.trace_id;
        e.intent = r.intent;
        e.checkpoint = r.checkpoint;
        encode(payload, e, contents);
    }
    if (!payload.empty())
        run.seed = prepare(FrameType::entries, static_cast<std::uint16_t>(wanted.seed.size()),
                           std::move(payload));
    for (const auto& c : contents) run.contents.push_back(prepare_content(c));
    return run;
}

Outcome named_cancel(Txn txn, std::string_view run, const Outcome& outcome) {
    const auto row = txn.get(Table::live, run);
    const auto live = row ? decode_live(*row) : std::nullopt;
    if (!live || !live->cancel_asked) return outcome;
    return {cancelled_by(live->cancelled_by), {}, false};
}

Prepared prepare_end(RunStatus status, const Outcome& outcome,
                     std::vector<PreparedContent>& contents) {
    Entry e;
    e.type = EntryType::end;
    e.status = status;
    e.outcome = outcome;
    std::string payload;
    std::vector<Content> borrowed;
    encode(payload, e, borrowed);
    for (const auto& c : borrowed) contents.push_back(prepare_content(c));
    return prepare(FrameType::entries, 1, std::move(payload));
}

std::optional<LiveRow> Transitions::live(std::string_view run) {
    const auto row = txn_.get(Table::live, run);
    return row ? decode_live(*row) : std::nullopt;
}

void Transitions::put(std::string_view run, const LiveRow& row, std::optional<RunStatus> before) {
    if (row.status == RunStatus::ready) news_.any = news_.ready = true;
    if (before != row.status) {
        if (before) txn_.erase(Table::status, status_key(*before, run));
        txn_.append(Table::status, status_key(row.status, run), {});
    }
    if (before)
        txn_.put(Table::live, run, encode(row));
    else
        txn_.append(Table::live, run, encode(row));
}

Transitions::Start Transitions::start(const PreparedRun& run, std::string& existing,
                                      const std::string& owner) {
    if (!run.key_digest.empty()) {
        if (const auto row = txn_.get(Table::key, run.key_digest)) {
            existing = unpacked_id(*row);
            const bool same = row->substr(packed_id_length) == foxwedge::bytes_of(run.input);
            return same ? Start::existed : Start::conflict;
        }
    }
    if (txn_.get(Table::live, run.id)) {
        existing = unpacked_id(run.id);
        return Start::existed;
    }
    std::optional<LiveRow> parent;
    if (!run.parent.empty() && !(parent = live(run.parent))) return Start::no_parent;
    for (const auto& c : run.contents) store_content(txn_, log_, c.digest, c.frame);
    txn_.append(Table::run, run.id, run.row);
    LiveRow row;
    row.updated = run.created;
    if (!run.seed.payload.empty()) {
        row.tail = log_.append(run.id, 0, run.seed);
        row.newest = log_.last();
    }
    if (!owner.empty()) {
        row.status = RunStatus::running;
        row.owner = owner;
        row.epoch = first_epoch;
        row.claimed_at = row.newest;
    }
    put(run.id, row, std::nullopt);
    if (!run.key_digest.empty())
        txn_.put(Table::key, run.key_digest, run.id + std::string(foxwedge::bytes_of(run.input)));
    if (parent) txn_.put(Table::side, side_key(run.parent, side_child, run.id), {});
    if (is_late(run.created, run.id)) txn_.put(Table::side, late_key(run.created, run.id), {});
    if (parent && parent->cancel_asked) cancel_tree(run.id, parent->cancelled_by);
    return Start::started;
}

std::vector<std::string> Transitions::children(std::string_view run) {
    std::vector<std::string> found;
    const std::string prefix = side_key(run, side_child);
    Cursor cursor(txn_, Table::side);
    for (bool more = cursor.seek(prefix); more && cursor.key().substr(0, prefix.size()) == prefix;
         more = cursor.next())
        found.emplace_back(cursor.key().substr(prefix.size()));
    return found;
}

std::vector<std::string> Transitions::pending_gates(std::string_view run) {
    std::vector<std::string> found;
    const std::string prefix = side_key(run, side_gate);
    {
        Cursor cursor(txn_, Table::side);
        for (bool more = cursor.seek(prefix);
             more && cursor.key().substr(0, prefix.size()) == prefix; more = cursor.next())
            found.emplace_back(cursor.key().substr(prefix.size()));
    }
    std::erase_if(found, [&](const std::string& g) { return !txn_.get(Table::pending, g); });
    return found;
}

void Transitions::open_gate(std::string_view run, GateRow gate, std::uint64_t frame) {
    const std::string id = packed_id(gate.gate.id);
    gate.frame = frame;
    txn_.append(Table::gate, id, encode_state(gate));
    txn_.put(Table::side, side_key(run, side_gate, id), {});
    if (gate.gate.status != Gate::Status::pending) return;
    txn_.append(Table::pending, id, {});
    if (gate.gate.deadline) txn_.put(Table::due, due_key(*gate.gate.deadline, due_gate, id), {});
}

void Transitions::close(std::string_view packed, GateRow& row, Gate::Status status,
                        std::string decision) {
    Gate& g = row.gate;
    if (g.deadline) txn_.erase(Table::due, due_key(*g.deadline, due_gate, packed));
    txn_.erase(Table::pending, packed);
    g.status = status;
    g.decision_json = std::move(decision);
    // A closing effect that conflicts is void; the decision stands.
    (void)apply_effects(txn_, log_, prepare_effects(row.on_close));
    txn_.put(Table::gate, packed, encode_state(row));
    wake(packed_id(g.run), Wait::On::gate, g.id);
}

void Transitions::withdraw(std::string_view packed_gate) {
    if (!txn_.get(Table::pending, packed_gate)) return;
    if (auto row = read_gate(txn_, packed_gate))
        close(packed_gate, *row, Gate::Status::cancelled, cancel_decision(now_));
}

void Transitions::finish(std::string_view run, LiveRow row, RunStatus status,
                         const Prepared& frame) {
    const RunStatus before = row.status;
    clear_waits(run, row);
    row.updated = time_of(row);
    row.status = status;
    row.owner.clear();
    row.deaths = row.unclean = 0;
    row.end = row.tail = log_.append(run, row.tail, frame);
    row.newest = log_.last();
    put(run, row, before);
    for (const auto& id : pending_gates(run))
        if (auto g = read_gate(txn_, id))
            close(id, *g, Gate::Status::cancelled, cancel_decision(row.updated));
    for (const auto& child : children(run)) cancel_tree(child, "parent");
    if (const auto parent = parent_of(run); !parent.empty()) {
        txn_.put(Table::side, side_key(parent, side_inbox, big_endian(row.end)), run);
        wake(parent, Wait::On::child, unpacked_id(run));
    }
    news_.any = true;
}

void Transitions::cancel_tree(std::string_view run, const std::string& who) {
    auto row = live(run);
    if (!row || is_final(row->status)) return;
    concerns_holders();
    if (!row->cancel_asked) {
        row->cancel_asked = true;
        row->cancelled_by = who;
        row->reason = "cancelled by " + who;
        put(run, *row, row->status);
    }
    for (const auto& child : children(run)) cancel_tree(child, who);
    if (!row->owner.empty() && alive_(row->owner)) return; // its holder ends it
    row = live(run);                                       // a child's end may have woken it
    if (!row) return;
    const std::string& by = row->cancelled_by;
    std::vector<PreparedContent> none;
    finish(run, *row, RunStatus::cancelled,
           prepare_end(RunStatus::cancelled, {cancelled_by(by), "", false}, none));
}

void Transitions::clear_waits(std::string_view run, LiveRow& row) {
    for (const auto& wait : row.waits)
        if (wait.on == Wait::On::time) txn_.erase(Table::due, due_key(wait.at, due_run, run));
    row.waits.clear();
}

void Transitions::set_waits(std::string_view run, LiveRow& row, const std::vector<Wait>& waits) {
    clear_waits(run, row);
    row.waits = waits;
    for (const auto& wait : waits)
        if (wait.on == Wait::On::time) txn_.put(Table::due, due_key(wait.at, due_run, run), {});
}

bool Transitions::fired(Txn& txn, std::string_view run, const Wait& wait, Time now) {
    switch (wait.on) {
    case Wait::On::time:
        return wait.at <= now;
    case Wait::On::gate:
        return !txn.get(Table::pending, packed_id(wait.id));
    case Wait::On::signal:
        return txn.get(Table::side, side_key(run, side_signal, shortened(wait.id))).has_value();
    case Wait::On::child: {
        const auto row = txn.get(Table::live, packed_id(wait.id));
        const auto child = row ? decode_live(*row) : std::nullopt;
        return !child || is_final(child->status);
    }
    }
    return true;
}

void Transitions::wake(std::string_view run, Wait::On on, const std::string& id) {
    news_.any = true;
    concerns(run);
    auto row = live(run);
    if (!row || row->status != RunStatus::waiting) return;
    const bool waited = std::any_of(row->waits.begin(), row->waits.end(), [&](const Wait& w) {
        return w.on == on && (on == Wait::On::time || w.id == id);
    });
    if (!waited) return;
    clear_waits(run, *row);
    row->updated = time_of(*row);
    row->status = RunStatus::ready;
    put(run, *row, RunStatus::waiting);
}

bool Transitions::fire_due(std::size_t limit) {
    const std::string end =
        big_endian(static_cast<std::uint64_t>(now_.time_since_epoch().count()) + 1);
    for (; limit > 0; --limit) {
        std::string key;
        {
            Cursor cursor(txn_, Table::due);
            if (!cursor.first() || cursor.key() >= end) return false;
            key = cursor.key();
        }
        txn_.erase(Table::due, key);
        const char kind = key[8];
        const std::string id = key.substr(9);
        if (kind == due_run) {
            wake(id, Wait::On::time, {});
        } else if (auto row = read_gate(txn_, id);
                   row && row->gate.status == Gate::Status::pending) {
            close(id, *row, Gate::Status::expired, timeout_decision(row->gate, now_));
        }
        if (txn_.error() != 0) return false;
    }
    return true;
}

/// Packed, or "".
std::string Transitions::parent_of(std::string_view run) {
    const auto row = txn_.get(Table::run, run);
    const auto started = row ? decode_run(*row, nullptr) : std::nullopt;
    return started && !started->parent.empty() ? packed_id(started->parent) : std::string();
}

/// Of the runs that a dead owner held, the one that ended it: all others are above it and only
/// waited. "" where more than one was at work.
std::string Transitions::blamed(const std::vector<std::pair<std::string, LiveRow>>& left) {
    constexpr std::size_t deepest = 64; // runs do not start runs that deep
    if (left.size() > deepest) return {};
    std::set<std::string> held;
    for (const auto& [run, row] : left) held.insert(run);
    for (const auto& [run, row] : left) {
        std::size_t above = 0, level = 0;
        for (auto up = parent_of(run); !up.empty() && level < deepest; up = parent_of(up), ++level)
            above += held.count(up);
        if (above == left.size() - 1) return run;
    }
    return {};
}

void Transitions::bury(const std::string& owner) {
    std::vector<std::pair<std::string, LiveRow>> left;
    {
        const std::string running(1, static_cast<char>(RunStatus::running));
        Cursor cursor(txn_, Table::status);
        for (bool more = cursor.seek(running); more && cursor.key().substr(0, 1) == running;
             more = cursor.next()) {
            std::string run(cursor.key().substr(1));
            if (auto row = live(run); row && row->owner == owner)
                left.emplace_back(std::move(run), *std::move(row));
        }
    }
    const auto alone = blamed(left);
    for (auto& [run, row] : left) {
        const bool progressed = row.newest > row.claimed_at;
        const bool stuck = count_death(row.deaths, row.unclean, {run == alone, progressed});
        row.owner.clear();
        row.updated = time_of(row);
        row.status = stuck ? RunStatus::stuck : RunStatus::ready;
        if (stuck) {
            std::vector<Entry> entries;
            (void)read_entries(txn_, run, row.tail, entries);
            row.reason = stuck_reason(fold(std::move(entries)));
        }
        put(run, row, RunStatus::running);
        if (row.cancel_asked) cancel_tree(run, row.cancelled_by);
        news_.any = true;
    }
}

} // namespace foxwedge::journal
