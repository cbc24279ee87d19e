#include "journal/prepared_batch.hpp"

#include <algorithm>

#include "base/id.hpp"
#include "journal/bytes.hpp"
#include "journal/rules.hpp"

namespace foxwedge::journal {

StepStates::StepStates(std::span<const Record> records) {
    for (const auto& r : records) {
        auto& s = at(r.key);
        s.generation = r.generation; // older ones come first
        s.finished = r.outcome.has_value();
        s.failed = r.outcome && r.outcome->error;
        s.intent = r.intent;
        s.checkpoint = !r.checkpoint.empty();
    }
}

const StepState* StepStates::find(const StepKey& key) const {
    const auto found = states_.find({key.lane, key.index});
    return found == states_.end() ? nullptr : &found->second;
}

StepState& StepStates::at(const StepKey& key) {
    auto& s = states_[{key.lane, key.index}];
    if (s.name.empty()) s.name = key.name;
    return s;
}

std::optional<std::string> StepStates::conflict(const StepKey& key,
                                                std::uint32_t generation) const {
    const StepState* const s = find(key);
    // The rule itself is journal/rules.hpp's, which judges records.
    Record newest;
    if (s) {
        newest.key.name = s->name;
        newest.generation = s->generation;
        if (s->finished) {
            newest.outcome.emplace();
            if (s->failed) newest.outcome->error.emplace();
        }
    }
    const Record* const had = s ? &newest : nullptr;
    if (generation_holds(had, generation) && (!had || had->key.name == key.name))
        return std::nullopt;
    return conflict_of(key, had);
}

std::string gate_name(const StepKey& key, std::uint32_t generation) {
    return key.name + "#" + std::to_string(generation);
}

namespace {

using Kind = PreparedItem::Kind;

class Preparer {
public:
    Preparer(const RunHead& run, const StepStates& states, const Limits& limits, Time now)
        : run_(run), states_(states), limits_(limits), now_(now) {}

    PreparedItem item(Intent& i) {
        PreparedItem p = begin(Kind::intent, i.key, i.generation, unfit(i.key));
        if (p.verdict != Verdict::recorded) return p;
        const StepState* const s = current(i.key, i.generation);
        p.nothing_to_do = s && s->intent;
        if (!p.nothing_to_do) p.entry = entry(EntryType::intent, i.key, i.generation);
        return p;
    }

    PreparedItem item(Completion& c) {
        PreparedItem p = begin(Kind::completion, c.key, c.generation, unfit(c, limits_));
        if (p.verdict != Verdict::recorded) return p;
        p.finishes = c.outcome.has_value();
        p.fails = c.outcome && c.outcome->error;
        const StepState* const s = current(c.key, c.generation);
        p.clears_checkpoint = p.finishes && s && s->checkpoint;
        if (p.finishes && !p.fails) p.effects = prepare_effects(std::move(c.effects));
        if (p.finishes && !states_.gates.empty())
            if (const auto own = states_.gates.find(gate_name(c.key, c.generation));
                own != states_.gates.end())
                p.gate_id = own->second;
        Entry e;
        e.type = EntryType::completion;
        e.key = std::move(c.key);
        e.generation = c.generation;
        e.attempts.push_back(std::move(c.attempt));
        e.outcome = std::move(c.outcome);
        e.usage_json = std::move(c.usage_json);
        e.trace_id = std::move(c.trace_id);
        std::vector<Content> contents;
        encode(p.entry, e, contents);
        take(p, contents);
        return p;
    }

    PreparedItem item(GateOpening& g) {
        PreparedItem p = begin(Kind::gate, g.key, g.generation, unfit(g.key));
        if (const auto known = states_.gates.find(gate_name(g.key, g.generation));
            known != states_.gates.end()) {
            p.verdict = Verdict::recorded;
            p.nothing_to_do = true;
            p.gate_id = known->second;
            return p;
        }
        if (!g.gate.id.empty() && !is_id(g.gate.id))
            return refuse(p, Verdict::conflict, "\"" + g.gate.id + "\" is no gate id");
        if (auto bad = unfit(g.on_close, limits_)) return refuse(p, Verdict::full, *bad);
        if (auto bad = unfit(g.effects, limits_)) return refuse(p, Verdict::full, *bad);
        if (p.verdict != Verdict::recorded) return p;
        GateRow row{std::move(g.gate), g.key, g.generation, std::move(g.on_close)};
        row.gate.run = run_.id;
        row.gate.root = run_.root;
        row.gate.step = g.key.name;
        if (row.gate.id.empty()) row.gate.id = new_id(now_);
        if (row.gate.asked == Time{}) row.gate.asked = now_;
        p.gate_id = row.gate.id;
        std::vector<Content> contents;
        std::string question = encode_question(row, contents);
        take(p, contents);
        p.gate = std::move(row);
        p.effects = prepare_effects(std::move(g.effects));
        p.entry = entry(EntryType::gate, g.key, g.generation, p.gate_id, std::move(question));
        return p;
    }

    PreparedItem item(Checkpoint& c) {
        PreparedItem p = begin(Kind::checkpoint, c.key, c.generation, unfit(c, limits_));
        if (p.verdict != Verdict::recorded) return p;
        p.effects = prepare_effects(std::move(c.effects));
        p.checkpoint_bytes = std::move(c.bytes);
        if (!current(c.key, c.generation)) p.entry = entry(EntryType::begun, c.key, c.generation);
        return p;
    }

    PreparedItem item(ChildStart& c) {
        PreparedItem p = begin(Kind::child, c.key, c.generation, unfit(c.key));
        if (p.verdict != Verdict::recorded) return p;
        c.run.parent = run_.id;
        if (c.run.id.empty()) return refuse(p, Verdict::conflict, "a child needs an id");
        if (const auto ok = check_new_run(c.run, limits_); !ok)
            return refuse(p, Verdict::full, ok.error().message);
        p.child = prepare_run(c.run, run_.root, now_);
        p.entry = entry(EntryType::child, c.key, c.generation, c.run.id);
        return p;
    }

private:
    static PreparedItem refuse(PreparedItem& p, Verdict v, std::string why) {
        p.verdict = v;
        p.why = std::move(why);
        return std::move(p);
    }
    PreparedItem begin(Kind kind, const StepKey& key, std::uint32_t generation,
                       std::optional<std::string> bad) const {
        PreparedItem p;
        p.kind = kind;
        p.key = key;
        p.generation = generation;
        if (bad) return refuse(p, Verdict::full, *std::move(bad));
        if (auto why = states_.conflict(key, generation))
            return refuse(p, Verdict::conflict, *std::move(why));
        return p;
    }
    const StepState* current(const StepKey& key, std::uint32_t generation) const {
        const StepState* const s = states_.find(key);
        return s && s->generation == generation && !s->finished ? s : nullptr;
    }
    static std::string entry(EntryType type, const StepKey& key, std::uint32_t generation,
                             std::string id = {}, std::string question = {}) {
        Entry e;
        e.type = type;
        e.key = key;
        e.generation = generation;
        e.id = std::move(id);
        e.gate = std::move(question);
        std::string out;
        std::vector<Content> none;
        encode(out, e, none);
        return out;
    }
    static void take(PreparedItem& p, const std::vector<Content>& contents) {
        for (const auto& c : contents) p.contents.push_back(prepare_content(c));
    }

    const RunHead& run_;
    const StepStates& states_;
    const Limits& limits_;
    Time now_;
};

std::size_t size_of(const PreparedItem& p) {
    std::size_t bytes = 200 + p.entry.size() + p.checkpoint_bytes.size();
    bytes += size_of(std::span<const PreparedEffect>(p.effects));
    if (p.child) bytes += p.child->bytes();
    for (const auto& c : p.contents) bytes += c.frame.payload.size();
    return bytes;
}

} // namespace

Prepared frame_of(const std::vector<PreparedItem>& items, const std::vector<Verdict>& verdicts) {
    std::string payload;
    std::uint16_t count = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (verdicts[i] != Verdict::recorded || items[i].nothing_to_do || items[i].entry.empty())
            continue;
        payload += items[i].entry;
        ++count;
    }
    return prepare(FrameType::entries, count, std::move(payload));
}

bool is_sure(const PreparedBatch& batch, Txn txn) {
    return std::all_of(batch.items.begin(), batch.items.end(), [&txn](const PreparedItem& item) {
        return item.verdict == Verdict::recorded && item.kind == Kind::completion &&
               std::none_of(item.effects.begin(), item.effects.end(),
                            [](const auto& e) { return e.effect.expect.has_value(); }) &&
               !judge_effects(txn, item.effects);
    });
}

PreparedBatch prepare_batch(Batch&& batch, const RunHead& run, const StepStates& states,
                            const Limits& limits, Time now) {
    Preparer prepare(run, states, limits, now);
    PreparedBatch out;
    for (auto& i : batch.intents) out.items.push_back(prepare.item(i));
    for (auto& i : batch.completions) out.items.push_back(prepare.item(i));
    for (auto& i : batch.gates) out.items.push_back(prepare.item(i));
    for (auto& i : batch.checkpoints) out.items.push_back(prepare.item(i));
    for (auto& i : batch.children) out.items.push_back(prepare.item(i));
    std::vector<Verdict> verdicts;
    for (auto& p : out.items) {
        p.bytes = size_of(p);
        out.bytes += p.bytes;
        verdicts.push_back(p.verdict);
        if (p.verdict != Verdict::recorded || !p.effects.empty() || p.child) out.certain = false;
    }
    out.all = frame_of(out.items, verdicts);
    return out;
}

} // namespace foxwedge::journal
