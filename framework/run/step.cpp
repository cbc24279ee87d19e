#include "run/step.hpp"

#include "base/text.hpp"
#include "journal/rules.hpp"
#include "run/fan.hpp"

namespace foxwedge::run {
namespace {
/// Store conflicts after which a step gives up.
constexpr int conflict_limit = 5;
constexpr std::size_t checkpoint_limit = 64u << 10;
/// The lanes below a step: of a container's body, and of the questions about its outcome.
constexpr std::uint32_t body_branch = 0, question_branch = 1;
/// A list of tools changes nothing and can be asked for again. What a model is shown of it is a
/// step of its own, which lasts.
bool can_be_found_again(std::string_view kind) {
    return kind == "discovery";
}

} // namespace

class Call final : public StepCall {
public:
    Call(Lane& lane, const journal::StepKey& key, std::uint32_t generation, const std::string& text,
         int attempt, Until until, bool container, std::string& checkpoint)
        : lane_(lane), step_(key), generation_(generation), text_(text), attempt_(attempt),
          until_(std::move(until)), container_(container), checkpoint_(checkpoint) {}

    const std::string& key() const override { return text_; }
    int attempt() const override { return attempt_; }
    const Until& until() const override { return until_; }
    const std::string& checkpoint() const override { return checkpoint_; }

    Status save_checkpoint(std::string bytes, std::vector<journal::Effect> effects) override {
        if (bytes.size() > checkpoint_limit)
            return permanent("too_large", "a checkpoint has at most 64 KiB");
        if (auto large = journal::unfit(effects, journal::Limits()))
            return permanent("too_large", *large);
        Execution& run = lane_.run();
        const auto done = run.write([&] {
            journal::Batch batch;
            batch.checkpoints.push_back({step_, generation_, bytes, effects});
            return batch;
        });
        switch (done.verdicts.at(0)) {
        case journal::Verdict::recorded:
            checkpoint_ = std::move(bytes);
            return {};
        case journal::Verdict::conflict:
            return permanent("conflict", done.explanation);
        default:
            return run.ending_error().value_or(permanent("cancelled", done.explanation));
        }
    }

    Run& lane() override {
        if (!sub_) {
            sub_.emplace(lane_.run(), lane_below(step_.lane, step_.index, body_branch), lane_.fan_,
                         lane_.slot_, lane_.closed_);
            if (!container_) sub_->refused_ = "inside a step's body that is no container";
        }
        return *sub_;
    }

    Lane* used() { return sub_ ? &*sub_ : nullptr; }

private:
    Lane& lane_;
    const journal::StepKey& step_;
    std::uint32_t generation_;
    const std::string& text_;
    int attempt_;
    Until until_;
    bool container_;
    std::string& checkpoint_;
    std::optional<Lane> sub_;
};

Attempts::Attempts(Lane& lane, const journal::StepKey& key, const Decision& decision,
                   const StepOptions& options, const Body& body)
    : lane_(lane), run_(lane.run_), key_(key), record_(decision.record),
      generation_(decision.generation), options_(options), body_(body) {
    key_text_ = run_.head().id + "/" + key.name;
    if (generation_ > 0) key_text_ += "#" + std::to_string(generation_);
    if (record_) {
        made_ = static_cast<int>(record_->attempts.size());
        for (const auto& attempt : record_->attempts)
            counted_ += !attempt.error || is_counted(*attempt.error);
        checkpoint_ = record_->checkpoint;
    }
}

Result<StepValue> Attempts::run() {
    const bool asks = options_.on_interrupted != OnInterrupted::retry;
    if (asks && !record_ && run_.history().made_before(key_.inputs))
        if (auto ended = question(made_by_origin(key_.name))) return std::move(*ended);
    if (record_ && record_->intent && options_.on_interrupted != OnInterrupted::retry) {
        const Error death = host_death(key_.name);
        if (options_.on_interrupted == OnInterrupted::fail) return fail(death, std::nullopt);
        if (auto ended = question(death)) return std::move(*ended);
    } else if (record_ && made_ > 0 && record_->attempts.back().error) {
        const auto& last = record_->attempts.back();
        if (auto ended = after(*last.error, last.ended)) return std::move(*ended);
    }
    for (;;) {
        if (run_.ending()) lane_.unwind(key_.name);
        intend();
        Made made = attempt();
        if (!made.result) lane_.unwind(key_.name);
        if (made.result->ok()) {
            if (auto ended = finish(**std::move(made.result), made)) return std::move(*ended);
            continue;
        }
        const Error& error = made.result->error();
        const journal::Attempt attempt{made_ + 1, made.started, made.ended, error};
        // Ended because the run ends: no verdict on the step.
        if (run_.stop().stop_requested() && error.certainty != Certainty::done_with_error)
            lane_.unwind(key_.name);
        const Next next = after_attempt(options_, error, counted_ + is_counted(error),
                                        run_.chance(key_text_, made_ + 1));
        if (next.what == Next::Do::fail) return fail(error, attempt);
        record_attempt(attempt);
        // The next attempt is to find the answers that this one was given.
        if (recorded_below_) come_back();
        if (auto ended = after(error, made.ended)) return std::move(*ended);
    }
}

std::optional<Result<StepValue>> Attempts::after(const Error& error, Time ended) {
    const Next next = after_attempt(options_, error, counted_, run_.chance(key_text_, made_));
    if (next.what == Next::Do::fail) return Result<StepValue>(fail(error, std::nullopt));
    if (next.what == Next::Do::ask) return question(error);
    const Time due = ended + next.delay;
    if (run_.watched())
        run_.tell(Event::Kind::step_retrying, key_, made_, nullptr, next.delay,
                  R"({"code":)" + quoted(error.code) + R"(,"message":)" + quoted(error.message) +
                      "}");
    lane_.wait(key_.name, {{journal::Wait::On::time, due, {}}}, [&] { return run_.now() >= due; });
    return std::nullopt;
}

void Attempts::record_attempt(const journal::Attempt& attempt) {
    lane_.require(run_.write([&] {
        journal::Completion completion;
        completion.key = key_;
        completion.generation = generation_;
        completion.attempt = attempt;
        journal::Batch batch;
        batch.completions.push_back(std::move(completion));
        return batch;
    }),
                  key_.name);
    ++made_;
    counted_ += is_counted(*attempt.error);
    intended_ = false;
}

void Attempts::come_back() {
    run_.note_waits({{journal::Wait::On::time, run_.now(), {}}});
    lane_.unwind(key_.name);
}

Error Attempts::fail(Error error, std::optional<journal::Attempt> attempt) {
    if (!attempt) {
        const Time now = run_.now();
        attempt = journal::Attempt{made_ + 1, now, now, error};
    }
    const journal::Outcome outcome{error, {}, false};
    lane_.require(run_.write([&] {
        journal::Completion completion;
        completion.key = key_;
        completion.generation = generation_;
        completion.attempt = *attempt;
        completion.outcome = outcome;
        journal::Batch batch;
        batch.completions.push_back(std::move(completion));
        return batch;
    }),
                  key_.name);
    if (run_.watched()) run_.tell(Event::Kind::step_finished, key_, attempt->number, &outcome);
    return error;
}

void Attempts::intend() {
    if (intended_ || options_.on_interrupted == OnInterrupted::retry) {
        if (lane_.fan_) lane_.fan_->arrive(*lane_.slot_);
        return;
    }
    const journal::Intent intent{key_, generation_};
    const auto done = lane_.fan_ ? lane_.fan_->intend(*lane_.slot_, intent) : run_.write([&] {
        journal::Batch batch;
        batch.intents.push_back(intent);
        return batch;
    });
    lane_.require(done, key_.name);
    intended_ = true;
}

Attempts::Made Attempts::attempt() {
    Made made;
    if (run_.watched()) run_.tell(Event::Kind::step_started, key_, made_ + 1);
    Until until{run_.stop(), std::nullopt};
    if (options_.timeout) until = until.within(*options_.timeout);
    Call call(lane_, key_, generation_, key_text_, made_ + 1, until, options_.container,
              checkpoint_);
    run_.before_body();
    made.started = run_.now();
    const Execution::ParksOnChildren limited(run_, options_.container && options_.timeout);
    lane_.busy_ = Lane::Busy::body;
    bool unwound = false;
    try {
        made.result = body_(call);
        if (Lane* const sub = call.used(); sub && !sub->unwound()) sub->flush();
    } catch (const Parking&) {
        unwound = true;
    } catch (const std::exception& e) {
        made.result = permanent("internal", "step \"" + key_.name + "\" threw: " + e.what());
    } catch (...) {
        made.result = permanent("internal", "step \"" + key_.name + "\" threw what is no error");
    }
    lane_.busy_ = Lane::Busy::no;
    made.ended = run_.now();
    Lane* const sub = call.used();
    if (sub) run_.note_waits(std::exchange(sub->registered_, {}));
    recorded_below_ = recorded_below_ || (sub && sub->went_on());
    if (unwound) {
        made.result.reset();
    } else if (sub && sub->unwound()) {
        const bool told = !made.result->ok() && made.result->error().code == "parked";
        if (!told) run_.warn_swallowed(sub->path());
        made.result.reset();
    } else if (!made.result->ok()) {
        if (options_.container && made.result->error().code == "parked") {
            made.result.reset();
        } else {
            made.result = recordable(
                with_timeout(std::move(made.result->error()), until.overdue(), key_.name));
        }
    }
    return made;
}

std::optional<Result<StepValue>> Attempts::finish(StepValue value, const Made& made) {
    journal::Attempt attempt{made_ + 1, made.started, made.ended, std::nullopt};
    // What never fits must not look like a journal that is full for now.
    auto large = journal::unfit(value.effects, journal::Limits());
    if (value.value_json.size() > run_.options().max_value)
        large = "its outcome has " + std::to_string(value.value_json.size()) +
                " bytes, the journal takes " + std::to_string(run_.options().max_value);
    if (large) {
        attempt.error = permanent("too_large", "step \"" + key_.name + "\": " + *large);
        return Result<StepValue>(fail(*attempt.error, attempt));
    }
    if (!is_utf8(value.value_json)) value.value_json = to_utf8(value.value_json);
    const auto recorded = [&] {
        journal::Batch batch;
        batch.completions.emplace_back();
        auto& completion = batch.completions.back();
        completion.key = key_;
        completion.generation = generation_;
        completion.attempt = attempt;
        completion.outcome.emplace();
        completion.outcome->value_json = value.value_json;
        completion.outcome->tool_error = value.tool_error;
        completion.effects = value.effects;
        completion.usage_json = value.usage_json;
        return batch;
    };
    const bool brief = run_.options().brief && key_.lane.empty();
    const bool must_last = intended_ || !value.effects.empty() || !can_be_found_again(key_.kind);
    const auto done = brief ? run_.hold_back(recorded, must_last) : run_.write(recorded);
    if (done.verdicts.at(0) == journal::Verdict::conflict && !value.effects.empty()) {
        if (recorded_below_ && !intended_) come_back();
        if (++conflicts_ < conflict_limit) return std::nullopt;
        const Error conflict = permanent(
            "conflict", "step \"" + key_.name + "\" met other revisions in the store " +
                            std::to_string(conflict_limit) + " times: " + done.explanation);
        attempt.error = conflict;
        return Result<StepValue>(fail(conflict, attempt));
    }
    lane_.require(done, key_.name);
    if (run_.watched()) {
        const journal::Outcome outcome{std::nullopt, value.value_json, value.tool_error};
        run_.tell(Event::Kind::step_finished, key_, attempt.number, &outcome);
    }
    value.effects.clear();
    return Result<StepValue>(std::move(value));
}

std::optional<Result<StepValue>> Attempts::question(const Error& error) {
    const std::string below = lane_below(key_.lane, key_.index, question_branch);
    auto cursor = run_.history().lane(below);
    while (cursor.outcome_at(asked_)) ++asked_;

    GateSpec spec;
    spec.name = key_.name + ":unknown:" + std::to_string(asked_);
    spec.kind = "unknown";
    spec.about_json =
        options_.about_json.empty() ? R"({"step":)" + quoted(key_.name) + "}" : options_.about_json;
    spec.digest = key_.inputs;
    spec.path = options_.path;
    spec.allow = {"again", "use", "giveUp"};
    const auto key = Lane::gate_key(spec, below, asked_);
    const Decision decision = cursor.step(asked_, key.name, key.kind, key.inputs, false);
    if (decision.standing == Standing::mismatch) {
        run_.end(Ending::mismatch, mismatch_error(key, decision.record));
        lane_.unwind(key_.name);
    }
    const std::string decided = lane_.await_gate(key, decision, spec, {});
    const Time now = run_.now();
    const auto parsed = parse_json(decided);
    const Json said = parsed ? *parsed : Json();
    const auto answer = std::string(string_member(said, "answer").value_or("giveUp"));

    // The answer becomes the question's outcome together with what follows from it: a new intent,
    // or the step's own outcome.
    journal::Completion asked;
    asked.key = key;
    asked.generation = decision.generation;
    asked.attempt = {1, now, now, std::nullopt};
    asked.outcome = journal::Outcome{std::nullopt, decided, false};
    journal::Completion own;
    own.key = key_;
    own.generation = generation_;
    own.attempt = {made_ + 1, now, now, std::nullopt};
    StepValue used;
    Error given_up = error;
    given_up.certainty = Certainty::permanent;
    if (answer == "use") {
        const Json* const value = member(said, "value");
        used.value_json = value ? to_text(*value) : "null";
        own.outcome = journal::Outcome{std::nullopt, used.value_json, false};
    } else if (answer != "again") {
        own.attempt.error = given_up;
        own.outcome = journal::Outcome{given_up, {}, false};
    }
    lane_.require(run_.write([&] {
        journal::Batch batch;
        batch.completions.push_back(asked);
        if (own.outcome)
            batch.completions.push_back(own);
        else
            batch.intents.push_back({key_, generation_});
        return batch;
    }),
                  key_.name);
    ++asked_;
    if (run_.watched()) {
        run_.tell(Event::Kind::gate_closed, key, 1, &*asked.outcome);
        if (own.outcome) run_.tell(Event::Kind::step_finished, key_, made_ + 1, &*own.outcome);
    }
    if (answer == "use") return Result<StepValue>(std::move(used));
    if (answer != "again") return Result<StepValue>(std::move(given_up));
    intended_ = true;
    return std::nullopt;
}

} // namespace foxwedge::run
