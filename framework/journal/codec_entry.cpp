#include <algorithm>
#include <unordered_map>

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

std::optional<Entry> decode_entry(std::string_view& in, ContentSource& source) {
    ByteReader r(in);
    Entry e;
    const std::uint8_t head = r.byte();
    const std::uint8_t type = head & 0x0F;
    if (type < static_cast<std::uint8_t>(EntryType::intent) ||
        type > static_cast<std::uint8_t>(EntryType::seed))
        return std::nullopt;
    e.type = static_cast<EntryType>(type);
    if (e.type == EntryType::end) {
        const std::uint8_t status = r.byte();
        if (status > static_cast<std::uint8_t>(RunStatus::stuck)) return std::nullopt;
        e.status = static_cast<RunStatus>(status);
    } else {
        e.key = get_key(r);
        e.generation = static_cast<std::uint32_t>(r.number());
    }
    const std::uint64_t attempts = (head & has_more) != 0 ? r.number() : 1;
    if (attempts > r.rest().size()) return std::nullopt;
    e.attempts.reserve(attempts);
    for (std::uint64_t i = 0; i < attempts && r.ok(); ++i) e.attempts.push_back(get_attempt(r));
    if ((head & has_outcome) != 0) {
        e.outcome = get_outcome(r, source);
        if (!e.outcome) return std::nullopt;
    }
    if ((head & has_usage) != 0) e.usage_json = r.text();
    if ((head & has_trace) != 0) e.trace_id = r.text();
    if (e.type == EntryType::gate || e.type == EntryType::child)
        e.id = unpacked_id(r.raw(packed_id_length));
    if (e.type == EntryType::gate) e.gate = r.text();
    if (e.type == EntryType::seed) {
        e.intent = r.byte() != 0;
        e.checkpoint = r.text();
    }
    if (!r.ok()) return std::nullopt;
    in = r.rest();
    return e;
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
    const auto entry = decode_entry(in, collector);
    if (!entry || entry->type != EntryType::gate) return entry.has_value();
    GateRow row;
    return decode_question(entry->gate, row, collector);
}

namespace {

std::uint64_t place_of(const StepKey& key, std::uint32_t generation) {
    return std::hash<std::string>()(key.lane) * 0x9E3779B97F4A7C15u +
           (static_cast<std::uint64_t>(key.index) << 20) + generation;
}

void add(Record& r, Entry&& e) {
    r.sequence = e.sequence;
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

bool same_place(const Record& r, const Entry& e) {
    return r.key.index == e.key.index && r.generation == e.generation && r.key.lane == e.key.lane;
}

} // namespace

std::vector<Record> fold(std::vector<Entry> entries) {
    std::vector<Record> records;
    records.reserve(entries.size());
    std::unordered_multimap<std::uint64_t, std::size_t> places;
    places.reserve(entries.size());
    for (auto& e : entries) {
        if (e.type == EntryType::end) continue;
        const std::uint64_t place = place_of(e.key, e.generation);
        const auto [from, to] = places.equal_range(place);
        const auto known =
            std::find_if(from, to, [&](const auto& p) { return same_place(records[p.second], e); });
        if (known != to) {
            add(records[known->second], std::move(e));
            continue;
        }
        places.emplace(place, records.size());
        auto& r = records.emplace_back();
        r.key = std::move(e.key);
        r.generation = e.generation;
        add(r, std::move(e));
    }
    const auto before = [](const Record& a, const Record& b) {
        if (const int order = a.key.lane.compare(b.key.lane); order != 0) return order < 0;
        if (a.key.index != b.key.index) return a.key.index < b.key.index;
        return a.generation < b.generation;
    };
    // Mostly one lane, written in order: nothing to move.
    if (!std::is_sorted(records.begin(), records.end(), before))
        std::sort(records.begin(), records.end(), before);
    return records;
}

} // namespace foxwedge::journal
