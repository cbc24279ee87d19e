#include "base/json.hpp"
#include "journal/bytes.hpp"
#include "journal/export_lines.hpp"
#include "journal/keys.hpp"
#include "journal/lmdb_core.hpp"
#include "journal/survey.hpp"

namespace foxwedge::journal {
namespace {

void out(const Say& say, bool wanted, const std::string& line) {
    if (wanted) say("> " + line);
}

/// All frames of a run that can be read, by looking at the whole log.
std::vector<Entry> salvage(Txn& txn, std::string_view packed) {
    std::vector<Entry> entries;
    Contents contents(txn);
    LogReader log(txn);
    Cursor cursor(txn, Table::log);
    for (bool more = cursor.first(); more; more = cursor.next()) {
        const auto head = read_header(cursor.value());
        if (!head || head->type != FrameType::entries || head->owner != packed) continue;
        FrameHeader header;
        const auto payload = log.read(from_big_endian(cursor.key()), header);
        // What comes before a broken record of the frame is good.
        if (payload)
            (void)read_frame_entries(*payload, header, from_big_endian(cursor.key()), contents,
                                     entries);
    }
    return entries;
}

void survey_signals(Txn& txn, std::string_view packed, const std::string& run, const Say& say) {
    const std::string prefix = side_key(packed, side_signal);
    Cursor cursor(txn, Table::side);
    for (bool more = cursor.seek(prefix); more && cursor.key().substr(0, prefix.size()) == prefix;
         more = cursor.next()) {
        ByteReader r(cursor.value());
        const auto key = r.text();
        out(say, r.ok(), export_signal(run, key, r.rest()));
    }
}

} // namespace

void survey_run(Txn& txn, std::string_view key, const Say& say, bool with_content) {
    const std::string packed(key);
    const std::string id = unpacked_id(packed);
    auto loaded = load_run(txn, packed, Load::all);
    if (!loaded) {
        say(problem_line({"the run has no row that says where it stands", id, {}}));
        return;
    }
    if (loaded->damage) {
        const auto& d = *loaded->damage;
        const std::string what =
            d.sequence == 0 ? "the run's own row is damaged"
                            : "a record is damaged (sequence " + std::to_string(d.sequence) + ")";
        say(problem_line({what, id, d.step}));
        out(say, with_content, export_damage(what, id, d.step));
    }
    // Without its row a run has no name to be imported under; its records are saved all the same.
    const bool own_row = !loaded->damage || loaded->damage->sequence != 0;
    const auto row = own_row ? txn.get(Table::run, packed) : std::nullopt;
    const auto run = row ? decode_run(*row, nullptr) : std::nullopt;
    if (run) out(say, with_content, export_run(loaded->head, loaded->live, run->forked_from));
    if (loaded->damage) loaded->entries = salvage(txn, packed);
    const auto records = records_of(txn, packed, std::move(loaded->entries));
    for (const auto& r : records) out(say, with_content, export_record(id, r));
    if (with_content) survey_signals(txn, packed, id, say);
    say("# run " + std::to_string(records.size()));
}

void survey_gate(Txn& txn, std::string_view key, const Say& say, bool with_content) {
    const auto row = read_gate(txn, key);
    if (!row) {
        GateRow state;
        const auto bytes = txn.get(Table::gate, key);
        const bool known = bytes && decode_state(*bytes, state);
        const std::string what = "the gate " + unpacked_id(key) + " is damaged";
        say(problem_line({what, known ? state.gate.run : "", {}}));
        out(say, with_content, export_damage(what, known ? state.gate.run : "", {}));
        return;
    }
    out(say, with_content, export_gate(*row));
    say("# gate 1");
}

void survey_item(Txn& txn, std::string_view key, std::string_view bytes, const Say& say,
                 bool with_content) {
    Contents contents(txn);
    auto row = decode_store(bytes, &contents);
    const std::string collection = collection_of(txn, key.substr(0, packed_id_length));
    const std::string stored(key.substr(std::min(key.size(), packed_id_length)));
    if (!row || collection.empty()) {
        const std::string what = "a stored value is damaged";
        say(problem_line({what, {}, {}}));
        out(say, with_content, export_damage(what, {}, {}));
        return;
    }
    out(say, with_content,
        export_item(collection, {row->full_key.empty() ? stored : row->full_key,
                                 std::move(row->value_json), row->revision, row->removed}));
    say("# item 1");
}

void survey_content(Txn& txn, std::string_view key, const Say& say) {
    const auto place = txn.get(Table::content, key);
    LogReader log(txn);
    FrameHeader header;
    const auto bytes = place ? log.read(from_big_endian(*place), header) : std::nullopt;
    if (!bytes || bytes_of(sha256(*bytes)) != key)
        say(problem_line({"a value that is stored by digest is damaged", {}, {}}));
    else
        say("# content 1");
}

} // namespace foxwedge::journal
