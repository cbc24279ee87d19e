#include <set>

#include "journal/bytes.hpp"
#include "journal/keys.hpp"
#include "journal/lmdb_core.hpp"
#include "journal/maintenance.hpp"

namespace foxwedge::journal {
namespace {

std::vector<std::string> keys_below(Txn& txn, Table table, const std::string& prefix) {
    std::vector<std::string> keys;
    Cursor cursor(txn, table);
    for (bool more = cursor.seek(prefix); more && cursor.key().substr(0, prefix.size()) == prefix;
         more = cursor.next())
        keys.emplace_back(cursor.key());
    return keys;
}

std::optional<LiveRow> live_of(Txn& txn, std::string_view run) {
    const auto row = txn.get(Table::live, run);
    return row ? decode_live(*row) : std::nullopt;
}

/// The tree below `root`, or nothing if some of it has not ended.
std::optional<std::vector<std::string>> ended_tree(Txn& txn, const std::string& root) {
    std::vector<std::string> tree{root};
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto live = live_of(txn, tree[i]);
        if (!live || !is_final(live->status)) return std::nullopt;
        for (const auto& key : keys_below(txn, Table::side, side_key(tree[i], side_child)))
            tree.push_back(key.substr(packed_id_length + 1));
    }
    return tree;
}

void erase_log(Txn& txn, std::uint64_t tail) {
    for (std::uint64_t key = tail; key != 0;) {
        const auto piece = txn.get(Table::log, big_endian(key));
        const auto header = piece ? read_header(*piece) : std::nullopt;
        if (!header) return;
        const std::uint64_t previous = header->previous;
        std::size_t left = header->length - std::min<std::size_t>(
                                                header->length, piece->size() - frame_header_bytes);
        txn.erase(Table::log, big_endian(key));
        while (left > 0) {
            txn.erase(Table::log, big_endian(++key));
            left -= std::min(left, piece_bytes);
        }
        key = previous;
    }
}

void erase_run(Txn& txn, const std::string& run) {
    const auto live = live_of(txn, run);
    if (!live) return;
    for (const auto& key : keys_below(txn, Table::side, run)) {
        if (key.size() > packed_id_length && key[packed_id_length] == side_gate) {
            const std::string gate = key.substr(packed_id_length + 1);
            txn.erase(Table::gate, gate);
            txn.erase(Table::pending, gate);
        }
        txn.erase(Table::side, key);
    }
    if (const auto row = txn.get(Table::run, run)) {
        const auto started = decode_run(*row, nullptr);
        if (started && !started->key.empty())
            txn.erase(Table::key, start_key_digest(started->host, started->workflow, started->key));
        if (started && is_late(started->created, run))
            txn.erase(Table::side, late_key(started->created, run));
    }
    erase_log(txn, live->tail);
    txn.erase(Table::status, status_key(live->status, run));
    txn.erase(Table::live, run);
    txn.erase(Table::run, run);
}

/// Everything that some row refers to; false if a part cannot be read (then nothing is removed).
bool referenced(Txn& txn, std::set<Digest>& digests) {
    std::vector<Digest> found;
    {
        Cursor cursor(txn, Table::run);
        for (bool more = cursor.first(); more; more = cursor.next())
            if (!contents_of_run(cursor.value(), found)) return false;
    }
    {
        Cursor cursor(txn, Table::store);
        for (bool more = cursor.first(); more; more = cursor.next())
            if (!contents_of_store(cursor.value(), found)) return false;
    }
    LogReader log(txn);
    Cursor cursor(txn, Table::log);
    for (bool more = cursor.first(); more; more = cursor.next()) {
        const auto head = read_header(cursor.value());
        if (!head || head->type != FrameType::entries) continue; // a further piece, or a content
        FrameHeader header;
        auto payload = log.read(from_big_endian(cursor.key()), header);
        if (!payload) return false;
        while (!payload->empty())
            if (!contents_of_entry(*payload, found)) return false;
    }
    digests.insert(found.begin(), found.end());
    return true;
}

std::uint64_t sweep(Txn& txn) {
    std::set<Digest> kept;
    if (!referenced(txn, kept)) return 0;
    std::vector<std::string> gone;
    {
        Cursor cursor(txn, Table::content);
        for (bool more = cursor.first(); more; more = cursor.next()) {
            Digest d{};
            std::copy_n(cursor.key().begin(), std::min(cursor.key().size(), d.size()), d.begin());
            if (kept.count(d) == 0) gone.emplace_back(cursor.key());
        }
    }
    for (const auto& key : gone) {
        if (const auto place = txn.get(Table::content, key))
            erase_log(txn, from_big_endian(*place));
        txn.erase(Table::content, key);
    }
    return gone.size();
}

} // namespace

Result<PruneReport> prune_journal(const std::string& path, Time before) {
    FOXWEDGE_CHECK(sound_journal(path));
    JournalOptions options;
    options.path = path;
    options.suspend_waits = false;
    FOXWEDGE_TRY(core, LmdbCore::open(options));
    std::vector<std::string> roots;
    {
        Txn txn = core->read();
        for (const auto status : {RunStatus::succeeded, RunStatus::failed, RunStatus::cancelled})
            for (const auto& key :
                 keys_below(txn, Table::status, std::string(1, static_cast<char>(status)))) {
                const std::string run = key.substr(1);
                const auto row = txn.get(Table::run, run);
                const auto started = row ? decode_run(*row, nullptr) : std::nullopt;
                const auto live = live_of(txn, run);
                if (started && started->parent.empty() && live && live->updated < before)
                    roots.push_back(run);
            }
        if (txn.error() != 0) return core->fault(txn.error());
    }
    PruneReport report;
    for (const auto& root : roots) {
        std::size_t removed = 0;
        const int error = core->write(
            [&](Transitions&, WriteScope& scope) {
                removed = 0;
                const auto tree = ended_tree(scope.txn, root);
                if (!tree) return;
                for (const auto& run : *tree) erase_run(scope.txn, run);
                removed = tree->size();
            },
            4096, true);
        if (error != 0) return core->fault(error);
        report.runs += removed;
    }
    // Others could be about to refer to what nothing refers to yet. Alone, inside the writer's
    // lock, nobody can.
    if (core->owners().living().empty()) {
        const int error = core->write(
            [&](Transitions&, WriteScope& scope) { report.contents = sweep(scope.txn); }, 4096,
            true);
        if (error != 0) return core->fault(error);
    }
    return report;
}

} // namespace foxwedge::journal
