// Questions to people, and the fan-outs that open them together.
#include "base/id.hpp"
#include "journal/rules.hpp"
#include "run/fan.hpp"

namespace foxwedge::run {
namespace {

/// Effects are told before there is an id: it takes the place of "<gate>" in their keys.
void name_gate(std::vector<journal::Effect>& effects, const std::string& id) {
    constexpr std::string_view stand_in = "<gate>";
    for (auto& effect : effects)
        if (const auto at = effect.key.find(stand_in); at != std::string::npos)
            effect.key.replace(at, stand_in.size(), id);
}

} // namespace

journal::StepKey Lane::gate_key(const GateSpec& spec, std::string lane, std::uint32_t index) {
    const Digest none{};
    return {std::move(lane), index, spec.name, "gate",
            spec.digest == none ? sha256(spec.about_json) : spec.digest};
}

journal::GateOpening Lane::opening(const journal::StepKey& key, std::uint32_t generation,
                                   const GateSpec& spec) const {
    journal::GateOpening opening;
    opening.key = key;
    opening.generation = generation;
    opening.effects = spec.effects;
    opening.on_close = spec.effects_on_close;
    auto& gate = opening.gate;
    gate.run = run_.head().id;
    gate.root = run_.head().root;
    gate.path = spec.path;
    gate.step = spec.name;
    gate.kind = spec.kind;
    gate.about_json = spec.about_json;
    gate.digest = spec.digest;
    gate.allow = spec.allow;
    gate.asked = run_.now();
    if (!opening.effects.empty() || !opening.on_close.empty()) {
        gate.id = new_id(gate.asked);
        name_gate(opening.effects, gate.id);
        name_gate(opening.on_close, gate.id);
    }
    if (spec.timeout) {
        gate.deadline = gate.asked + *spec.timeout;
        gate.on_timeout = spec.on_timeout;
    }
    return opening;
}

std::string Lane::await_gate(const journal::StepKey& key, const Decision& decision,
                             const GateSpec& spec, std::string id) {
    if (id.empty() && decision.standing == Standing::begun)
        if (const auto gate = run_.gate_of(key.name)) id = gate->id;
    if (id.empty()) {
        const auto done = run_.write([&] {
            journal::Batch batch;
            batch.gates.push_back(opening(key, decision.generation, spec));
            return batch;
        });
        require(done, key.name);
        id = done.gate_ids.at(0);
        if (run_.watched())
            run_.tell(Event::Kind::gate_opened, key, 1, nullptr, {}, spec.about_json);
    }
    if (spec.held) run_.hold_gate(id);
    std::optional<journal::Gate> gate;
    std::vector<journal::Wait> waits{{journal::Wait::On::gate, {}, id}};
    const auto closed = [&] {
        gate = run_.gate(id);
        return gate && gate->status != journal::Gate::Status::pending;
    };
    wait(
        key.name, std::move(waits), [&] { return closed() || spec.taken_back.stop_requested(); },
        spec.taken_back);
    if (gate->status == journal::Gate::Status::pending)
        return journal::cancel_decision(run_.now()); // the step's outcome withdraws it
    // A gate is cancelled only with its run.
    if (gate->status == journal::Gate::Status::cancelled) unwind(key.name);
    return gate->decision_json;
}

Result<std::string> Lane::decide(const GateSpec& spec, const OpenedGate& opened) {
    return guarded<std::string>(spec.name, [&]() -> Result<std::string> {
        if (auto large = journal::unfit(spec.effects, journal::Limits()))
            return permanent("too_large", "gate \"" + spec.name + "\": " + *large);
        auto key = gate_key(spec, path_, index_);
        FOXWEDGE_TRY(decision, take(key, false));
        if (decision.standing == Standing::recorded) {
            const auto& outcome = *decision.record->outcome;
            if (outcome.error) return *outcome.error;
            return outcome.value_json;
        }
        const Time started = run_.now();
        if (opened.decided) return *spec.decided_json;
        if (spec.decided_json) {
            FOXWEDGE_CHECK(settle(key, decision.generation, started,
                                  {std::nullopt, *spec.decided_json, false}, spec.effects));
            return *spec.decided_json;
        }
        const std::string answer = await_gate(key, decision, spec, opened.id);
        journal::Outcome outcome{std::nullopt, answer, false};
        const auto parsed = parse_json(answer);
        if (parsed && string_member(*parsed, "answer") == "fail")
            outcome.error = permanent("gate_timeout", "nobody answered \"" + spec.name +
                                                          "\" in time, which fails the run");
        FOXWEDGE_CHECK(settle(key, decision.generation, started, outcome));
        if (run_.watched()) run_.tell(Event::Kind::gate_closed, key, 1, &outcome, {}, answer);
        if (outcome.error) return *outcome.error;
        return answer;
    });
}

Result<Json> Lane::ask(const GateSpec& spec) {
    FOXWEDGE_TRY(text, decide(spec, {}));
    return parse_json(text);
}

Status Lane::withdraw(const GateSpec& spec) {
    const auto done = guarded<bool>(spec.name, [&]() -> Result<bool> {
        const auto key = gate_key(spec, path_, index_);
        FOXWEDGE_TRY(decision, take(key, false));
        if (decision.standing == Standing::recorded) return true;
        const Time now = run_.now();
        auto gate = run_.gate_of(key.name);
        if (gate) gate = run_.gate(gate->id);
        const bool answered = gate && gate->status != journal::Gate::Status::pending;
        const journal::Outcome outcome{
            std::nullopt, answered ? gate->decision_json : journal::cancel_decision(now), false};
        FOXWEDGE_CHECK(settle(key, decision.generation, now, outcome));
        if (run_.watched())
            run_.tell(Event::Kind::gate_closed, key, 1, &outcome, {}, outcome.value_json);
        return true;
    });
    if (!done) return done.error();
    return {};
}

Result<std::vector<OpenedGate>> Lane::open_gates(const FanOut& spec, std::uint32_t index) {
    std::vector<OpenedGate> ids(spec.branches.size());
    if (spec.gates_name.empty()) {
        const Decision decision = cursor_.branches(index);
        if (decision.standing == Standing::mismatch) {
            Error error = mismatch_error({path_, index, "", "fan-out", {}}, decision.record);
            run_.end(Ending::mismatch, error);
            return error;
        }
        ++index_;
        return ids;
    }
    const auto key = key_of(spec.gates_name, "gates", sha256("null"));
    FOXWEDGE_TRY(decision, take(key, true));
    if (decision.standing == Standing::recorded) return ids;

    const Time started = run_.now();
    std::vector<std::size_t> order;
    const auto make = [&] {
        order.clear();
        journal::Batch batch;
        const auto completed = [&](const journal::StepKey& of, std::uint32_t generation,
                                   std::string value) -> journal::Completion& {
            auto& completion = batch.completions.emplace_back();
            completion.key = of;
            completion.generation = generation;
            completion.attempt = {1, started, run_.now(), std::nullopt};
            completion.outcome = journal::Outcome{std::nullopt, std::move(value), false};
            return completion;
        };
        completed(key, decision.generation, spec.gates_json.empty() ? "null" : spec.gates_json);
        for (std::size_t b = 0; b < spec.branches.size(); ++b) {
            const auto& gate = spec.branches[b].gate;
            if (!gate) continue;
            const auto lane = lane_below(path_, index, static_cast<std::uint32_t>(b));
            if (run_.history().lane(lane).anything_from(0))
                continue; // a part of it did not fit once
            const auto gate_step = gate_key(*gate, lane, 0);
            if (gate->decided_json) {
                completed(gate_step, 0, *gate->decided_json).effects = gate->effects;
                ids[b].decided = true;
            } else {
                batch.gates.push_back(opening(gate_step, 0, *gate));
                order.push_back(b);
            }
        }
        return batch;
    };
    const auto done = run_.write(make);
    require(done, spec.gates_name);
    for (std::size_t i = 0; i < order.size(); ++i) {
        ids[order[i]].id = done.gate_ids.at(i);
        if (run_.watched()) {
            const auto& gate = *spec.branches[order[i]].gate;
            run_.tell(Event::Kind::gate_opened, gate_key(gate, "", 0), 1, nullptr, {},
                      gate.about_json);
        }
    }
    return ids;
}

std::vector<Result<Json>> Lane::fan_out(FanOut spec) {
    std::vector<Result<Json>> results;
    const auto joined = guarded<bool>("fan-out", [&]() -> Result<bool> {
        const std::uint32_t index = index_;
        FOXWEDGE_TRY(opened, open_gates(spec, index));
        if (fan_) fan_->arrive(*slot_);
        // While its branches run this lane's own slot is free for others.
        const bool lent = fan_ && slot_->held && !slot_->exclusive;
        if (lent) fan_->leave_slot(*slot_);
        busy_ = Busy::branches;
        Fan fan(*this, spec, index, std::move(opened), closed_ || cursor_.anything_from(index + 1));
        const bool unwinding = fan.run();
        busy_ = Busy::no;
        if (lent && !fan_->enter_slot(*slot_)) unwind("fan-out");
        if (unwinding) {
            if (run_.replay_only() && !closed_)
                run_.end(Ending::parking, permanent("parked", "the record ends in a fan-out"));
            unwind(spec.gates_name.empty() ? "fan-out" : spec.gates_name);
        }
        results = fan.results();
        return true;
    });
    if (!joined) {
        results.clear();
        for (std::size_t b = 0; b < std::max<std::size_t>(1, spec.branches.size()); ++b)
            results.emplace_back(joined.error());
    }
    return results;
}

} // namespace foxwedge::run
