#include "journal/codec_parts.hpp"

namespace foxwedge::journal {
namespace {

// Each row begins with its version, so that one can change without the others.
constexpr std::uint8_t row_version = 1;

bool version_ok(ByteReader& r) {
    if (r.byte() != row_version) r.fail();
    return r.ok();
}

} // namespace

std::string encode(const RunRow& row, std::vector<Content>& contents) {
    std::string out;
    ByteWriter w(out);
    w.byte(row_version);
    w.text(row.host);
    w.text(row.workflow);
    w.text(row.key);
    // A root's root is itself and has no parent: one byte for the common case.
    w.byte(static_cast<std::uint8_t>((row.parent.empty() ? 0 : 1) |
                                     (row.forked_from.empty() ? 0 : 2)));
    if (!row.parent.empty()) {
        w.raw(packed_id(row.parent));
        w.raw(packed_id(row.root));
    }
    if (!row.forked_from.empty()) w.raw(packed_id(row.forked_from));
    put_time(w, row.created);
    w.text(row.labels_json);
    put_value(w, row.input_json, contents, row.input_json.size() >= shared_from);
    // Digest and reference take 35 bytes: what is shorter is not worth sharing.
    put_value(w, row.config_json, contents, row.config_json.size() > 64);
    return out;
}

std::optional<RunRow> decode_run(std::string_view in, ContentSource* contents) {
    ByteReader r(in);
    RunRow row;
    if (!version_ok(r)) return std::nullopt;
    row.host = r.text();
    row.workflow = r.text();
    row.key = r.text();
    const std::uint8_t flags = r.byte();
    if ((flags & 1) != 0) {
        row.parent = unpacked_id(r.raw(packed_id_length));
        row.root = unpacked_id(r.raw(packed_id_length));
    }
    if ((flags & 2) != 0) row.forked_from = unpacked_id(r.raw(packed_id_length));
    row.created = get_time(r);
    row.labels_json = r.text();
    if (!get_value(r, contents, row.input_json) || !get_value(r, contents, row.config_json) ||
        !r.ok())
        return std::nullopt;
    return row;
}

std::string encode(const LiveRow& row) {
    std::string out;
    ByteWriter w(out);
    w.byte(row_version);
    w.byte(static_cast<std::uint8_t>(static_cast<std::uint8_t>(row.status) |
                                     (row.cancel_asked ? 0x10 : 0) |
                                     (row.owner.empty() ? 0 : 0x20)));
    w.number(row.epoch);
    if (!row.owner.empty()) w.raw(packed_id(row.owner));
    w.number(row.tail);
    w.number(row.newest);
    w.number(row.claimed_at);
    w.number(row.retried_at);
    w.number(row.end);
    put_time(w, row.updated);
    w.number(row.deaths);
    w.number(row.unclean);
    w.text(row.reason);
    w.text(row.cancelled_by);
    w.number(row.waits.size());
    for (const auto& wait : row.waits) {
        w.byte(static_cast<std::uint8_t>(wait.on));
        if (wait.on == Wait::On::time)
            put_time(w, wait.at);
        else if (wait.on == Wait::On::signal)
            w.text(wait.id);
        else
            w.raw(packed_id(wait.id));
    }
    return out;
}

std::optional<LiveRow> decode_live(std::string_view in) {
    ByteReader r(in);
    LiveRow row;
    if (!version_ok(r)) return std::nullopt;
    const std::uint8_t flags = r.byte();
    if ((flags & 0x0F) > static_cast<std::uint8_t>(RunStatus::stuck)) return std::nullopt;
    row.status = static_cast<RunStatus>(flags & 0x0F);
    row.cancel_asked = (flags & 0x10) != 0;
    row.epoch = r.number();
    if ((flags & 0x20) != 0) row.owner = unpacked_id(r.raw(packed_id_length));
    row.tail = r.number();
    row.newest = r.number();
    row.claimed_at = r.number();
    row.retried_at = r.number();
    row.end = r.number();
    row.updated = get_time(r);
    row.deaths = static_cast<std::uint32_t>(r.number());
    row.unclean = static_cast<std::uint32_t>(r.number());
    row.reason = r.text();
    row.cancelled_by = r.text();
    const std::uint64_t waits = r.number();
    for (std::uint64_t i = 0; i < waits && r.ok(); ++i) {
        Wait wait;
        const std::uint8_t on = r.byte();
        if (on > static_cast<std::uint8_t>(Wait::On::signal)) return std::nullopt;
        wait.on = static_cast<Wait::On>(on);
        if (wait.on == Wait::On::time)
            wait.at = get_time(r);
        else if (wait.on == Wait::On::signal)
            wait.id = r.text();
        else
            wait.id = unpacked_id(r.raw(packed_id_length));
        row.waits.push_back(std::move(wait));
    }
    if (!r.ok()) return std::nullopt;
    return row;
}

std::string encode_question(const GateRow& row, std::vector<Content>& contents) {
    std::string out;
    ByteWriter w(out);
    const Gate& g = row.gate;
    w.byte(row_version);
    w.number(g.path.size());
    for (const auto& id : g.path) w.text(id);
    w.text(g.kind);
    w.digest(g.digest);
    w.number(g.allow.size());
    for (const auto& word : g.allow) w.text(word);
    put_time(w, g.asked);
    w.byte(g.deadline ? 1 : 0);
    if (g.deadline) put_time(w, *g.deadline);
    w.text(g.on_timeout);
    w.number(row.on_close.size());
    for (const auto& e : row.on_close) put_effect(w, e);
    put_value(w, g.about_json, contents, g.about_json.size() >= shared_from);
    return out;
}

bool decode_question(std::string_view in, GateRow& row, ContentSource& source) {
    ByteReader r(in);
    Gate& g = row.gate;
    if (!version_ok(r)) return false;
    for (std::uint64_t n = r.number(); n > 0 && r.ok(); --n) g.path.emplace_back(r.text());
    g.kind = r.text();
    g.digest = r.digest();
    for (std::uint64_t n = r.number(); n > 0 && r.ok(); --n) g.allow.emplace_back(r.text());
    g.asked = get_time(r);
    if (r.byte() != 0) g.deadline = get_time(r);
    g.on_timeout = r.text();
    for (std::uint64_t n = r.number(); n > 0 && r.ok(); --n) row.on_close.push_back(get_effect(r));
    return get_value(r, &source, g.about_json) && r.ok();
}

std::string encode_state(const GateRow& row) {
    std::string out;
    ByteWriter w(out);
    const Gate& g = row.gate;
    const bool own_root = g.root == g.run;
    w.byte(row_version);
    w.byte(static_cast<std::uint8_t>(static_cast<std::uint8_t>(g.status) | (own_root ? 0x10 : 0)));
    w.raw(packed_id(g.run));
    if (!own_root) w.raw(packed_id(g.root));
    w.number(row.frame);
    w.text(g.decision_json);
    return out;
}

bool decode_state(std::string_view in, GateRow& row) {
    ByteReader r(in);
    Gate& g = row.gate;
    if (!version_ok(r)) return false;
    const std::uint8_t flags = r.byte();
    if ((flags & 0x0F) > static_cast<std::uint8_t>(Gate::Status::cancelled)) return false;
    g.status = static_cast<Gate::Status>(flags & 0x0F);
    g.run = unpacked_id(r.raw(packed_id_length));
    g.root = (flags & 0x10) != 0 ? g.run : unpacked_id(r.raw(packed_id_length));
    row.frame = r.number();
    g.decision_json = r.text();
    return r.ok();
}

std::string encode(const StoreRow& row, std::vector<Content>& contents) {
    std::string out;
    ByteWriter w(out);
    w.byte(row_version);
    w.number(row.revision << 1 | (row.removed ? 1 : 0));
    w.text(row.full_key);
    put_value(w, row.value_json, contents, row.value_json.size() >= shared_from);
    return out;
}

std::optional<StoreRow> decode_store(std::string_view in, ContentSource* source) {
    ByteReader r(in);
    StoreRow row;
    if (!version_ok(r)) return std::nullopt;
    const std::uint64_t tag = r.number();
    row.revision = tag >> 1;
    row.removed = (tag & 1) != 0;
    row.full_key = r.text();
    if (!get_value(r, source, row.value_json) || !r.ok()) return std::nullopt;
    return row;
}

bool contents_of_run(std::string_view in, std::vector<Digest>& into) {
    DigestCollector collector(into);
    return decode_run(in, &collector).has_value();
}
bool contents_of_store(std::string_view in, std::vector<Digest>& into) {
    DigestCollector collector(into);
    return decode_store(in, &collector).has_value();
}

} // namespace foxwedge::journal
