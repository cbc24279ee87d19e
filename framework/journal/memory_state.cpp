#include "journal/memory_state.hpp"

#include <algorithm>

#include "base/id.hpp"
#include "journal/rules.hpp"

namespace foxwedge::journal {

MemoryRun* MemoryState::find(std::string_view run) {
    const auto at = runs.find(run);
    return at == runs.end() ? nullptr : &at->second;
}

Time MemoryState::time_of(const MemoryRun& run) const {
    return std::max(clock.now(), run.head.updated);
}

void MemoryState::touch(MemoryRun& run) {
    run.head.updated = time_of(run);
}

Result<Engine::Started> MemoryState::start(const NewRun& wanted) {
    const Digest input = sha256(wanted.input_json);
    const std::string key = start_key(wanted.host, wanted.workflow, wanted.key);
    if (!wanted.key.empty()) {
        if (const auto at = keys.find(key); at != keys.end()) {
            if (find(at->second)->input != input) return key_conflict(wanted, at->second);
            return Engine::Started{at->second, true};
        }
    }
    if (!wanted.id.empty() && find(wanted.id)) return Engine::Started{wanted.id, true};
    MemoryRun* const parent = wanted.parent.empty() ? nullptr : find(wanted.parent);
    if (!wanted.parent.empty() && !parent)
        return permanent("not_found", "there is no run " + wanted.parent + " to be the parent");

    MemoryRun run;
    run.input = input;
    auto& head = run.head;
    head.created = head.updated = clock.now();
    head.id = wanted.id.empty() ? new_id(head.created) : wanted.id;
    head.host = wanted.host;
    head.workflow = wanted.workflow;
    head.key = wanted.key;
    head.parent = wanted.parent;
    head.root = parent ? parent->head.root : head.id;
    head.input_json = wanted.input_json;
    head.config_json = wanted.config_json;
    head.labels_json = wanted.labels_json;
    for (const Record& record : wanted.seed) add(run, record).sequence = ++sequence;
    if (parent) parent->children.push_back(head.id);
    if (!wanted.key.empty()) keys[key] = head.id;
    const std::string id = head.id;
    auto& placed = runs.emplace(id, std::move(run)).first->second;
    if (parent && parent->cancel_asked) cancel_tree(placed, parent->cancelled_by);
    return Engine::Started{id, false};
}

void MemoryState::close(MemoryGate& gate, Gate::Status status, std::string decision) {
    gate.gate.status = status;
    gate.gate.decision_json = std::move(decision);
    (void)apply(gate.on_close); // a closing effect that conflicts is void; the decision stands
    wake(gate.gate.run, Wait::On::gate, gate.gate.id);
}

void MemoryState::finish(MemoryRun& run, RunStatus status, const Outcome& outcome) {
    touch(run);
    run.head.status = status;
    run.head.result = outcome;
    run.head.deaths = 0;
    run.owner.clear();
    run.waits.clear();
    for (auto& [id, gate] : gates)
        if (gate.gate.run == run.head.id && gate.gate.status == Gate::Status::pending)
            close(gate, Gate::Status::cancelled, cancel_decision(run.head.updated));
    for (const auto& child : std::vector<std::string>(run.children))
        if (!is_final(find(child)->head.status)) cancel_tree(*find(child), "parent");
    if (MemoryRun* const parent = run.head.parent.empty() ? nullptr : find(run.head.parent)) {
        parent->inbox.push_back({run.head.id, status, outcome, ++sequence});
        wake(parent->head.id, Wait::On::child, run.head.id);
    }
}

void MemoryState::cancel_tree(MemoryRun& run, const std::string& who) {
    if (is_final(run.head.status)) return;
    if (!run.cancel_asked) {
        run.cancel_asked = true;
        run.cancelled_by = who;
        run.head.reason = "cancelled by " + who;
    }
    for (const auto& child : std::vector<std::string>(run.children)) cancel_tree(*find(child), who);
    if (held(run)) {
        if (const auto at = holders.find(run.head.id); at != holders.end())
            to_stop.push_back(at->second);
        return;
    }
    finish(run, RunStatus::cancelled, {cancelled_by(who), "", false});
}

bool MemoryState::fired(const MemoryRun& run, const Wait& wait) const {
    switch (wait.on) {
    case Wait::On::time:
        return wait.at <= clock.now();
    case Wait::On::signal:
        return run.signals.count(wait.id) > 0;
    case Wait::On::gate: {
        const auto at = gates.find(wait.id);
        return at == gates.end() || at->second.gate.status != Gate::Status::pending;
    }
    case Wait::On::child:
        return std::any_of(run.inbox.begin(), run.inbox.end(),
                           [&](const ChildEnd& end) { return end.child == wait.id; });
    }
    return true;
}

void MemoryState::wake(const std::string& id, Wait::On on, const std::string& what) {
    MemoryRun* const run = find(id);
    changed.notify_all();
    if (!run || run->head.status != RunStatus::waiting) return;
    const bool waited = std::any_of(run->waits.begin(), run->waits.end(), [&](const Wait& w) {
        return w.on == on && (on == Wait::On::time || w.id == what);
    });
    if (!waited) return;
    touch(*run);
    run->head.status = RunStatus::ready;
}

void MemoryState::settle() {
    const Time now = clock.now();
    for (auto& [id, gate] : gates)
        if (is_due(gate.gate, now))
            close(gate, Gate::Status::expired, timeout_decision(gate.gate, now));
    std::set<std::string> dead;
    for (auto& [id, run] : runs) {
        if (run.head.status == RunStatus::waiting &&
            std::any_of(run.waits.begin(), run.waits.end(),
                        [&](const Wait& w) { return w.on == Wait::On::time && w.at <= now; }))
            wake(id, Wait::On::time, "");
        if (run.head.status == RunStatus::running && !held(run)) dead.insert(run.owner);
    }
    for (const auto& owner : dead) bury(owner);
}

void MemoryState::bury(const std::string& owner) {
    std::vector<MemoryRun*> left;
    for (auto& [id, run] : runs)
        if (run.head.status == RunStatus::running && run.owner == owner) left.push_back(&run);
    const auto waited_for = [&](const MemoryRun* run) { // by all the others
        std::size_t above = 0;
        for (auto* up = find(run->head.parent); up; up = find(up->head.parent))
            above += static_cast<std::size_t>(std::count(left.begin(), left.end(), up));
        return above == left.size() - 1;
    };
    for (MemoryRun* const run : left) {
        const auto& records = run->records;
        const bool progressed = std::any_of(records.begin(), records.end(), [&](const Record& r) {
            return r.sequence > run->claimed_at;
        });
        run->owner.clear();
        touch(*run);
        if (run->cancel_asked) {
            cancel_tree(*run, run->cancelled_by);
        } else if (count_death(run->head.deaths, run->unclean, {waited_for(run), progressed})) {
            run->head.status = RunStatus::stuck;
            run->head.reason = stuck_reason(records);
        } else {
            run->head.status = RunStatus::ready;
        }
    }
    changed.notify_all();
}

namespace {
/// One write, with what is needed to take it back.
std::optional<std::string> apply_one(MemoryCollection& collection, const Effect& effect) {
    const auto at = collection.items.find(effect.key);
    const bool exists = at != collection.items.end() && !at->second.removed;
    if (effect.expect && *effect.expect != (exists ? at->second.revision : 0))
        return "the store key has another revision than the one expected";
    StoreItem next{effect.key, effect.value_json, collection.revision + 1,
                   effect.kind == Effect::Kind::remove};
    if (effect.kind == Effect::Kind::remove) {
        if (!exists) return std::nullopt; // idempotent, and no revision for nothing
        next.value_json.clear();
    }
    if (effect.kind == Effect::Kind::add) {
        std::optional<std::string_view> current;
        if (exists) current = at->second.value_json;
        auto total = added(current, effect.add_json);
        if (!total) return total.error().message;
        next.value_json = *std::move(total);
    }
    ++collection.revision;
    collection.items[effect.key] = std::move(next);
    return std::nullopt;
}
} // namespace

std::optional<std::string> MemoryState::apply(std::span<const Effect> effects) {
    std::map<std::string, MemoryCollection> before;
    for (const auto& effect : effects) {
        auto& collection = store[effect.collection];
        before.emplace(effect.collection, collection);
        if (auto why = apply_one(collection, effect)) {
            for (auto& [name, was] : before) store[name] = std::move(was);
            return why;
        }
    }
    return std::nullopt;
}

Record* MemoryState::newest(MemoryRun& run, const StepKey& key) {
    const auto lane = run.newest.find(key.lane);
    if (lane == run.newest.end()) return nullptr;
    const auto at = lane->second.find(key.index);
    return at == lane->second.end() ? nullptr : &run.records[at->second];
}

Record& MemoryState::add(MemoryRun& run, Record record) {
    const Record* const had = newest(run, record.key);
    if (!had || had->generation < record.generation)
        run.newest[record.key.lane][record.key.index] = run.records.size();
    return run.records.emplace_back(std::move(record));
}

Record* MemoryState::begin(MemoryRun& run, const StepKey& key, std::uint32_t generation,
                           std::string& why) {
    Record* const had = newest(run, key);
    if (!generation_holds(had, generation) || (had && had->key.name != key.name)) {
        why = conflict_of(key, had);
        return nullptr;
    }
    if (had && !had->outcome) return had;
    Record fresh;
    fresh.key = key;
    fresh.generation = generation;
    fresh.sequence = ++sequence;
    return &add(run, std::move(fresh));
}

} // namespace foxwedge::journal
