#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "journal/codec_parts.hpp"

namespace foxwedge::journal {
namespace {

constexpr std::uint8_t has_outcome = 0x10, has_usage = 0x20, has_trace = 0x40, has_more = 0x80;

/// A merged tool list is the same in run after run.
bool is_pinned(const StepKey& key) {
    return key.kind == "tools";
}

} // namespace

void encode(std::string& out, const Entry& e, std::vector<Content>& contents) {
    ByteWriter w(out);
    w.byte(static_cast<std::uint8_t>(
        static_cast<std::uint8_t>(e.type) | (e.outcome ? has_outcome : 0) |
        (e.usage_json.empty() ? 0 : has_usage) | (e.trace_id.empty() ? 0 : has_trace) |
        (e.attempts.size() == 1 ? 0 : has_more)));
    if (e.type == EntryType::end)
        w.byte(static_cast<std::uint8_t>(e.status));
    else {
        put_key(w, e.key);
        w.number(e.generation);
    }
    if (e.attempts.size() != 1) w.number(e.attempts.size());
    for (const auto& a : e.attempts) put_attempt(w, a);
    if (e.outcome) put_outcome(w, *e.outcome, contents, is_pinned(e.key));
    if (!e.usage_json.empty()) w.text(e.usage_json);
    if (!e.trace_id.empty()) w.text(e.trace_id);
    if (e.type == EntryType::gate || e.type == EntryType::child) w.raw(packed_id(e.id));
    if (e.type == EntryType::gate) w.text(e.gate);
    if (e.type == EntryType::seed) {
        w.byte(e.intent ? 1 : 0);
        w.text(e.checkpoint);
    }
}

bool decode_entry(std::string_view& in, ContentSource& source, Entry& e) {
    ByteReader r(in);
    const std::uint8_t head = r.byte();
    const std::uint8_t type = head & 0x0F;
    if (type < static_cast<std::uint8_t>(EntryType::intent) ||
        type > static_cast<std::uint8_t>(EntryType::seed))
        return false;
    e.type = static_cast<EntryType>(type);
    if (e.type == EntryType::end) {
        const std::uint8_t status = r.byte();
        if (status > static_cast<std::uint8_t>(RunStatus::stuck)) return false;
        e.status = static_cast<RunStatus>(status);
    } else {
        get_key(r, e.key);
        e.generation = static_cast<std::uint32_t>(r.number());
    }
    const std::uint64_t attempts = (head & has_more) != 0 ? r.number() : 1;
    if (attempts > r.rest().size()) return false;
    e.attempts.reserve(attempts);
    for (std::uint64_t i = 0; i < attempts && r.ok(); ++i)
        get_attempt(r, e.attempts.emplace_back());
    if ((head & has_outcome) != 0 && !get_outcome(r, source, e.outcome.emplace())) return false;
    if ((head & has_usage) != 0) e.usage_json = r.text();
    if ((head & has_trace) != 0) e.trace_id = r.text();
    if (e.type == EntryType::gate || e.type == EntryType::child)
        e.id = unpacked_id(r.raw(packed_id_length));
    if (e.type == EntryType::gate) e.gate = r.text();
    if (e.type == EntryType::seed) {
        e.intent = r.byte() != 0;
        e.checkpoint = r.text();
    }
    if (r.ok()) in = r.rest();
    return r.ok();
}

std::string first_name(std::string_view payload) {
    ByteReader r(payload);
    const std::uint8_t type = r.byte() & 0x0F;
    if (type == static_cast<std::uint8_t>(EntryType::end)) return {};
    (void)r.text();
    (void)r.number();
    const std::string_view name = r.text();
    const bool plain = r.ok() && is_utf8(name) &&
                       std::none_of(name.begin(), name.end(),
                                    [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    return plain ? std::string(name) : std::string();
}

bool contents_of_entry(std::string_view& in, std::vector<Digest>& into) {
    DigestCollector collector(into);
    Entry entry;
    if (!decode_entry(in, collector, entry)) return false;
    GateRow row;
    return entry.type != EntryType::gate || decode_question(entry.gate, row, collector);
}

namespace {

auto place_of(const StepKey& key, std::uint32_t generation) {
    return std::tuple(std::string_view(key.lane), key.index, generation);
}

void add(Record& r, Entry&& e) {
    r.sequence = e.sequence;
    r.key.inputs =
        e.key.inputs; // an attempt under a changed configuration may be asked another way
    r.intent = r.intent || e.type == EntryType::intent || e.intent;
    if (r.attempts.empty())
        r.attempts = std::move(e.attempts);
    else
        std::move(e.attempts.begin(), e.attempts.end(), std::back_inserter(r.attempts));
    if (e.outcome) {
        r.outcome = std::move(e.outcome);
        r.checkpoint.clear();
    }
    if (!e.usage_json.empty()) r.usage_json = std::move(e.usage_json);
    if (!e.trace_id.empty()) r.trace_id = std::move(e.trace_id);
    if (!r.outcome && !e.checkpoint.empty()) r.checkpoint = std::move(e.checkpoint);
}

} // namespace

std::vector<Record> fold(std::vector<Entry> entries) {
    std::vector<Entry*> order;
    order.reserve(entries.size());
    for (auto& e : entries)
        if (e.type != EntryType::end) order.push_back(&e);
    const auto before = [](const Entry* a, const Entry* b) {
        return place_of(a->key, a->generation) < place_of(b->key, b->generation);
    };
    // Mostly one lane, written in order: nothing to move. Stable: a record's own entries stay in
    // the order of their arrival.
    if (!std::is_sorted(order.begin(), order.end(), before))
        std::stable_sort(order.begin(), order.end(), before);
    std::vector<Record> records;
    records.reserve(order.size());
    for (Entry* const e : order) {
        if (records.empty() || place_of(records.back().key, records.back().generation) !=
                                   place_of(e->key, e->generation)) {
            auto& fresh = records.emplace_back();
            fresh.key = std::move(e->key);
            fresh.generation = e->generation;
        }
        add(records.back(), std::move(*e));
    }
    return records;
}

} // namespace foxwedge::journal
