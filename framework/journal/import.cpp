#include <algorithm>
#include <map>

#include "base/json.hpp"
#include "journal/bytes.hpp"
#include "journal/export_lines.hpp"
#include "journal/keys.hpp"
#include "journal/lmdb_core.hpp"
#include "journal/maintenance.hpp"

namespace foxwedge::journal {
namespace {

struct Everything {
    std::map<std::string, ImportedRun> runs;
    std::vector<GateRow> gates;
    std::vector<std::pair<std::string, StoreItem>> items;
    struct Signal {
        std::string run, key, value;
    };
    std::vector<Signal> signals;
    ImportReport report;
};

Status read_line(const std::string& text, Everything& all) {
    const auto json = parse_json(text, {.bytes = longest_export_line});
    if (!json || !json->is_object())
        return permanent("invalid_export", "no JSON object, as each line is that "
                                           "`foxwedge journal export` writes");
    const auto type = string_member(*json, "type").value_or("");
    bool good = true;
    if (type == "run") {
        ImportedRun run;
        good = foxwedge::journal::read_run(*json, run);
        if (good) all.runs[run.run.id] = std::move(run);
    } else if (type == "record") {
        Record r;
        const auto at = all.runs.find(std::string(string_member(*json, "run").value_or("")));
        good = read_record(*json, r);
        if (good && at == all.runs.end())
            ++all.report.skipped;
        else if (good)
            at->second.run.seed.push_back(std::move(r));
    } else if (type == "gate") {
        GateRow row;
        good = foxwedge::journal::read_gate(*json, row);
        if (good) all.gates.push_back(std::move(row));
    } else if (type == "item") {
        auto& [collection, item] = all.items.emplace_back();
        good = read_item(*json, collection, item);
    } else if (type == "signal") {
        all.signals.push_back({std::string(string_member(*json, "run").value_or("")),
                               std::string(string_member(*json, "key").value_or("")),
                               std::string(string_member(*json, "value").value_or(""))});
    } else if (type == "journal") {
        if (integer_member(*json, "version").value_or(0) > export_version)
            return permanent("invalid_export", "it was written by a newer version of this program");
    } else {
        ++all.report.skipped; // "damaged", and what a later version may add
    }
    if (!good)
        return permanent("invalid_export", "it is of type \"" + std::string(type) +
                                               "\" and lacks what that must have");
    return {};
}

class Importer {
public:
    Importer(LmdbCore& core, Everything& all) : core_(core), all_(all) {}

    Status all() {
        FOXWEDGE_CHECK(start_all());
        for (auto& row : all_.gates) FOXWEDGE_CHECK(gate(row));
        for (const auto& s : all_.signals) FOXWEDGE_CHECK(signal(s));
        FOXWEDGE_CHECK(end_all());
        for (auto& [collection, item] : all_.items) FOXWEDGE_CHECK(this->item(collection, item));
        return {};
    }

private:
    Status change(const std::function<void(Transitions&, WriteScope&)>& work, std::size_t bytes) {
        const int error = core_.write(work, bytes, false);
        return error == 0 ? Status() : Status(core_.fault(error));
    }

    /// Parents before their children.
    Status start_all() {
        std::vector<ImportedRun*> left;
        for (auto& [id, run] : all_.runs) left.push_back(&run);
        for (bool progress = true; progress && !left.empty();) {
            progress = false;
            for (auto& run : left) {
                const auto& parent = run->run.parent;
                // A parent that could not be exported: its child stands alone.
                if (!parent.empty() && all_.runs.count(parent) == 0) run->run.parent.clear();
                if (!run->run.parent.empty() && roots_.count(run->run.parent) == 0) continue;
                FOXWEDGE_CHECK(start(*run));
                run = nullptr;
                progress = true;
            }
            std::erase(left, nullptr);
        }
        return {};
    }

    Status start(ImportedRun& r) {
        const std::string root = r.run.parent.empty() ? r.run.id : roots_.at(r.run.parent);
        roots_[r.run.id] = root;
        const auto prepared = prepare_run(r.run, root, r.created);
        if (const int error = core_.write_large(prepared.contents); error != 0)
            return core_.fault(error);
        all_.report.records += r.run.seed.size();
        ++all_.report.runs;
        return change(
            [&](Transitions& t, WriteScope&) {
                std::string existing;
                (void)t.start(prepared, existing);
            },
            prepared.bytes());
    }

    Status gate(GateRow& row) {
        if (roots_.count(row.gate.run) == 0) {
            ++all_.report.skipped;
            return {};
        }
        std::vector<Content> contents;
        Entry e;
        e.type = EntryType::gate;
        e.key = row.key;
        e.generation = row.generation;
        e.id = row.gate.id;
        e.gate = encode_question(row, contents);
        std::string payload;
        std::vector<Content> none;
        encode(payload, e, none);
        const Prepared frame = prepare(FrameType::entries, 1, std::move(payload));
        std::vector<PreparedContent> prepared;
        for (const auto& c : contents) prepared.push_back(prepare_content(c));
        ++all_.report.gates;
        const std::string run = packed_id(row.gate.run);
        return change(
            [&](Transitions& t, WriteScope& scope) {
                for (const auto& c : prepared)
                    store_content(scope.txn, scope.log, c.digest, c.frame);
                auto live = t.live(run);
                if (!live) return;
                live->tail = live->newest = scope.log.append(run, live->tail, frame);
                t.put(run, *live, live->status);
                t.open_gate(run, row, live->tail);
            },
            512 + frame.payload.size());
    }

    Status signal(const Everything::Signal& s) {
        std::string bytes;
        ByteWriter w(bytes);
        w.text(s.key);
        w.raw(s.value);
        return change(
            [&](Transitions&, WriteScope& scope) {
                scope.txn.put(Table::side,
                              side_key(packed_id(s.run), side_signal, shortened(s.key)), bytes);
            },
            512 + bytes.size());
    }

    /// In the order in which they ended, so that inboxes are as they were.
    Status end_all() {
        std::vector<ImportedRun*> ended;
        for (auto& [id, run] : all_.runs) {
            if (is_final(run.status))
                ended.push_back(&run);
            else if (run.status == RunStatus::stuck)
                FOXWEDGE_CHECK(stick(run));
        }
        std::sort(ended.begin(), ended.end(),
                  [](const auto* a, const auto* b) { return a->ended < b->ended; });
        for (const auto* run : ended) {
            std::vector<PreparedContent> contents;
            const Prepared frame =
                prepare_end(run->status, run->result.value_or(Outcome()), contents);
            if (const int error = core_.write_large(contents); error != 0)
                return core_.fault(error);
            const std::string packed = packed_id(run->run.id);
            FOXWEDGE_CHECK(change(
                [&](Transitions& t, WriteScope& scope) {
                    for (const auto& c : contents)
                        store_content(scope.txn, scope.log, c.digest, c.frame);
                    auto live = t.live(packed);
                    if (!live) return;
                    live->reason = run->reason;
                    t.finish(packed, *std::move(live), run->status, frame);
                    keep_time(t, packed, *run);
                },
                1024 + frame.payload.size()));
        }
        return {};
    }

    /// Ended when it ended, not now: `prune` and lists go by this. Exports of before have no time.
    static void keep_time(Transitions& t, const std::string& packed, const ImportedRun& run) {
        auto live = t.live(packed);
        if (!live || run.updated == Time()) return;
        live->updated = run.updated;
        t.put(packed, *live, live->status);
    }

    Status stick(const ImportedRun& run) {
        const std::string packed = packed_id(run.run.id);
        return change(
            [&](Transitions& t, WriteScope&) {
                auto live = t.live(packed);
                if (!live) return;
                const RunStatus before = live->status;
                live->status = RunStatus::stuck;
                live->reason = run.reason;
                t.put(packed, *live, before);
                keep_time(t, packed, run);
            },
            512);
    }

    Status item(const std::string& collection, StoreItem& item) {
        ++all_.report.store_items;
        const StoreItem& kept = item;
        return change(
            [&](Transitions&, WriteScope& scope) {
                restore_item(scope.txn, scope.log, collection, kept);
            },
            1024 + item.value_json.size());
    }

    LmdbCore& core_;
    Everything& all_;
    std::map<std::string, std::string> roots_;
};

} // namespace

Result<ImportReport> import_journal(const std::string& path, const LineSource& source) {
    Everything all;
    std::size_t number = 0;
    const auto at_line = [&](const Error& error) {
        return permanent(error.code,
                         "line " + std::to_string(number) + " of the export: " + error.message);
    };
    for (;;) {
        ++number;
        const auto line = source();
        if (!line) return at_line(line.error());
        if (!*line) break;
        if ((*line)->empty()) continue;
        if (auto read = read_line(**line, all); !read) return at_line(read.error());
    }
    JournalOptions options;
    options.path = path;
    options.durability = Durability::relaxed;
    FOXWEDGE_TRY(core, LmdbCore::open(options));
    {
        Txn txn = core->read();
        if (txn.entries(Table::run) > 0 || txn.entries(Table::store) > 0)
            return permanent("journal_not_empty",
                             path + " has runs already; import into a new journal");
    }
    Importer importer(*core, all);
    FOXWEDGE_CHECK(importer.all());
    return all.report;
}

} // namespace foxwedge::journal
