#include "run/lane.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

#include "base/id.hpp"
#include "base/text.hpp"
#include "run/fan.hpp"
#include "run/step.hpp"

namespace foxwedge::run {
namespace {

Digest digest_of(const StepOptions& options) {
    if (options.inputs_digest) return *options.inputs_digest;
    static const Digest of_nothing = sha256("null");
    return options.inputs.is_null() ? of_nothing : sha256(canonical_text(options.inputs));
}

/// Steps whose names are a workflow's own; ":" parts those that the framework makes.
bool is_named_by_code(std::string_view kind) {
    return kind == "task" || kind == "now" || kind == "random" || kind == "timer";
}

StepValue value_of(const journal::Record& record) {
    return {record.outcome->value_json, record.outcome->tool_error, {}, record.usage_json};
}

} // namespace

Lane::Lane(Execution& run, std::string path, Fan* fan, FanSlot* slot, bool closed)
    : run_(run), path_(std::move(path)), fan_(fan), slot_(slot), closed_(closed),
      cursor_(run.history().lane(path_)), exceptions_(std::uncaught_exceptions()) {}

std::optional<Error> Lane::misuse(std::string_view name) const {
    const auto wrong = [&](const char* where) {
        return permanent("misuse", "step \"" + std::string(name) + "\" was called " + where);
    };
    // The thread first: nothing else of the lane may be read on another one.
    if (std::this_thread::get_id() != owner_) return wrong("on a thread that is not its lane's");
    if (busy_ == Busy::body) return wrong("inside another step's body, on the lane around it");
    if (busy_ == Busy::branches) return wrong("inside a fan-out, on the lane around it");
    if (std::uncaught_exceptions() > exceptions_)
        return wrong("in a destructor or while an exception is in flight");
    if (!refused_.empty()) return wrong(refused_.c_str());
    return std::nullopt;
}

void Lane::unwind(std::string_view name) {
    unwound_ = true;
    if (!quiet_) run_.note_unwound(name);
    throw Parking{};
}

void Lane::unwinds(bool on) {
    quiet_ = !on;
}

void Lane::moves_here() {
    owner_ = std::this_thread::get_id();
    exceptions_ = std::uncaught_exceptions();
}

journal::StepKey Lane::key_of(std::string_view name, std::string_view kind, const Digest& inputs) {
    return {path_, index_, std::string(name), std::string(kind), inputs};
}

Result<Decision> Lane::take(const journal::StepKey& key, bool may_have_lanes) {
    if (!pending_.empty() && !key.kind.starts_with("child-")) flush();
    const Decision decision =
        cursor_.step(key.index, key.name, key.kind, key.inputs, may_have_lanes);
    if (decision.standing == Standing::mismatch) {
        Error error = mismatch_error(key, decision.record);
        run_.end(Ending::mismatch, error);
        return error;
    }
    if (decision.standing == Standing::fresh) {
        if (key.name.empty() || key.name.size() > 512)
            return permanent("invalid_name", "the name of a step has 1 to 512 bytes");
        if (is_named_by_code(key.kind) && key.name.find(':') != key.name.npos)
            return permanent("invalid_name", "step \"" + key.name +
                                                 "\": the name of a step must not contain \":\"");
        if (!run_.names().claim(key.name, key.lane, key.index))
            return permanent("duplicate_step", "the name \"" + key.name +
                                                   "\" is used twice in this run; lane \"" +
                                                   key.lane + "\" asks for it again");
    }
    if (decision.standing != Standing::recorded && (closed_ || run_.replay_only())) {
        if (!closed_)
            run_.end(Ending::parking, permanent("parked", "the record ends at step " + key.name));
        unwind(key.name);
    }
    ++index_;
    return decision;
}

void Lane::require(const journal::Committed& done, std::string_view name) {
    for (const auto verdict : done.verdicts) {
        if (verdict == journal::Verdict::recorded) continue;
        if (verdict == journal::Verdict::conflict)
            run_.end(Ending::fault, permanent("journal_conflict", done.explanation));
        unwind(name);
    }
}

Status Lane::settle(const journal::StepKey& key, std::uint32_t generation, Time started,
                    journal::Outcome outcome, std::vector<journal::Effect> effects) {
    const auto done = run_.write([&] {
        journal::Completion completion;
        completion.key = key;
        completion.generation = generation;
        completion.attempt = {1, started, run_.now(), outcome.error};
        completion.outcome = outcome;
        completion.effects = effects;
        journal::Batch batch;
        batch.completions.push_back(std::move(completion));
        return batch;
    });
    require(done, key.name);
    if (run_.watched()) run_.tell(Event::Kind::step_finished, key, 1, &outcome);
    return {};
}

void Lane::wait(std::string_view name, std::vector<journal::Wait> waits,
                const std::function<bool()>& fired, const std::stop_token& look) {
    if (fired()) return;
    if (fan_ && fan_->failed()) unwind(name);
    const bool held = fan_ && slot_->held;
    if (fan_) fan_->arrive(*slot_);
    if (held) fan_->leave_slot(*slot_);
    bool done = run_.wait(std::move(waits), fan_, fired, look);
    if (done && held) done = fan_->enter_slot(*slot_);
    if (!done) unwind(name);
}

Result<StepValue> Lane::step(std::string_view name, const StepOptions& options, const Body& body) {
    if (auto wrong = misuse(name)) return std::move(*wrong);
    const Digest inputs = digest_of(options);
    if (!unwound_ && !run_.ending()) {
        const Decision decision =
            cursor_.step(index_, name, options.kind, inputs, options.container);
        if (decision.standing == Standing::recorded) {
            ++index_;
            const auto& record = *decision.record;
            if (run_.watched())
                run_.tell(Event::Kind::step_replayed, record.key,
                          static_cast<int>(record.attempts.size()), &*record.outcome);
            if (record.outcome->error) return *record.outcome->error;
            return value_of(record);
        }
    }
    return guarded<StepValue>(name, [&] { return new_step(name, options, body, inputs); });
}

Result<StepValue> Lane::try_step(std::string_view name, const StepOptions& options,
                                 const Body& body) {
    if (auto wrong = misuse(name)) return std::move(*wrong);
    const bool was = std::exchange(quiet_, true);
    auto result = step(name, options, body);
    quiet_ = was;
    return result;
}

Result<StepValue> Lane::new_step(std::string_view name, const StepOptions& options,
                                 const Body& body, const Digest& inputs) {
    const auto key = key_of(name, options.kind, inputs);
    FOXWEDGE_TRY(decision, take(key, true));
    return Attempts(*this, key, decision, options, body).run();
}

Result<Time> Lane::now(std::string_view name) {
    StepOptions options;
    options.kind = "now";
    FOXWEDGE_TRY(value, step(name, options, [this](StepCall&) -> Result<StepValue> {
                     return StepValue{std::to_string(run_.now().time_since_epoch().count())};
                 }));
    return Time(Millis(std::strtoll(value.value_json.c_str(), nullptr, 10)));
}

Result<double> Lane::random(std::string_view name) {
    StepOptions options;
    options.kind = "random";
    FOXWEDGE_TRY(value, step(name, options, [](StepCall&) -> Result<StepValue> {
                     const auto bytes = random_bytes(8);
                     std::uint64_t bits = 0;
                     std::memcpy(&bits, bytes.data(), sizeof bits);
                     return StepValue{to_text(Json(static_cast<double>(bits >> 11) * 0x1p-53))};
                 }));
    FOXWEDGE_TRY(number, parse_json(value.value_json));
    return number.to_number<double>();
}

Status Lane::sleep(std::string_view name, Millis time) {
    const auto asleep = guarded<bool>(name, [&]() -> Result<bool> {
        const auto key = key_of(name, "timer", sha256(std::to_string(time.count())));
        FOXWEDGE_TRY(decision, take(key, false));
        if (decision.standing == Standing::recorded) return true;
        const Time started = run_.now();
        Time at = started + time;
        if (decision.standing == Standing::begun) {
            const auto& bytes = decision.record->checkpoint;
            at = Time(Millis(std::strtoll(bytes.c_str(), nullptr, 10)));
        } else {
            // The deadline is absolute and on record before the wait begins.
            require(run_.write([&] {
                journal::Batch batch;
                batch.checkpoints.push_back(
                    {key, decision.generation, std::to_string(at.time_since_epoch().count()), {}});
                return batch;
            }),
                    name);
        }
        wait(name, {{journal::Wait::On::time, at, {}}}, [&] { return run_.now() >= at; });
        FOXWEDGE_CHECK(settle(key, decision.generation, started, {std::nullopt, "null", false}));
        return true;
    });
    if (!asleep) return asleep.error();
    return {};
}

Result<Json> Lane::signal(std::string_view name, std::string_view signal_key) {
    return guarded<Json>(name, [&]() -> Result<Json> {
        const auto key = key_of(name, "signal", sha256(signal_key));
        FOXWEDGE_TRY(decision, take(key, false));
        if (decision.standing == Standing::recorded)
            return parse_json(decision.record->outcome->value_json);
        const Time started = run_.now();
        std::optional<std::string> value;
        wait(name, {{journal::Wait::On::signal, {}, std::string(signal_key)}}, [&] {
            value = run_.activation().signal(signal_key);
            return value.has_value();
        });
        FOXWEDGE_CHECK(settle(key, decision.generation, started, {std::nullopt, *value, false}));
        return parse_json(*value);
    });
}

bool Lane::wait_for(const journal::Wait& wait) {
    if (misuse("wait")) return false;
    if (run_.replay_only()) return false;
    bool fired = false;
    switch (wait.on) {
    case journal::Wait::On::time:
        fired = run_.now() >= wait.at;
        break;
    case journal::Wait::On::gate: {
        const auto gate = run_.gate(wait.id);
        fired = !gate || gate->status != journal::Gate::Status::pending;
        break;
    }
    case journal::Wait::On::child:
        fired = run_.activation().end_of(wait.id).has_value();
        break;
    case journal::Wait::On::signal:
        fired = run_.activation().signal(wait.id).has_value();
        break;
    }
    if (!fired) registered_.push_back(wait);
    return fired;
}

} // namespace foxwedge::run
