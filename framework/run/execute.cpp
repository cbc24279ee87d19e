#include <algorithm>
#include <exception>

#include "run/lane.hpp"

namespace foxwedge::run {
namespace {

/// What a workflow came back with: nothing when it unwound.
std::optional<Result<Json>> call(const Workflow& workflow, Execution& run) {
    Lane root(run, "");
    std::optional<Result<Json>> result;
    try {
        result = workflow(root);
        if (!root.unwound()) (void)root.create_children();
    } catch (const Parking&) {
    } catch (const std::exception& e) {
        result = permanent("internal", std::string("the workflow threw: ") + e.what());
    } catch (...) {
        result = permanent("internal", "the workflow threw what is no error");
    }
    if (result && root.unwound()) {
        if (!run.unwound_at().empty()) run.warn_swallowed("");
        result.reset();
    }
    return result;
}

journal::Outcome outcome_of(Result<Json> result, const ExecuteOptions& options) {
    journal::Outcome outcome;
    if (!result) {
        outcome.error = std::move(result).error();
        return outcome;
    }
    outcome.value_json = to_text(*result);
    if (outcome.value_json.size() <= options.max_value) return outcome;
    outcome.error = permanent("too_large",
                              "the run's result has " + std::to_string(outcome.value_json.size()) +
                                  " bytes, the journal takes " + std::to_string(options.max_value));
    outcome.value_json.clear();
    return outcome;
}

void tell(Execution& run, Event::Kind kind, const journal::Outcome* outcome = nullptr) {
    if (run.watched()) run.tell(kind, {"", 0, "", "", {}}, 0, outcome);
}

Finished stopped_for(const Status& status) {
    Finished finished;
    finished.error = status.error();
    finished.how = status.error().code == "lease_lost" ? Ended::lost : Ended::fault;
    return finished;
}

Finished park(Execution& run, std::vector<journal::Wait> waits) {
    Finished finished;
    finished.how = Ended::parked;
    finished.waiting_for_decision_only =
        !waits.empty() && std::all_of(waits.begin(), waits.end(), [](const auto& w) {
            return w.on == journal::Wait::On::gate;
        });
    for (const auto& wait : waits)
        if (wait.on == journal::Wait::On::time)
            finished.wakes_at = std::min(finished.wakes_at.value_or(wait.at), wait.at);
    const auto status = run.activation().park(waits);
    if (!status) return stopped_for(status);
    tell(run, Event::Kind::run_parked);
    return finished;
}

Finished finish(Execution& run, Ended how, journal::RunStatus status, journal::Outcome outcome) {
    const auto done = run.activation().finish(status, outcome);
    if (!done) return stopped_for(done);
    tell(run, Event::Kind::run_finished, &outcome);
    Finished finished;
    finished.how = how;
    finished.error = outcome.error;
    finished.outcome = std::move(outcome);
    return finished;
}

/// How long a run that found no room stays away before it is tried again.
constexpr Millis room_delay{30'000};

} // namespace

Finished execute(journal::Activation& activation, const Workflow& workflow,
                 const ExecuteOptions& options) {
    Execution run(&activation, activation.run(), activation.records(), {}, options);
    tell(run, Event::Kind::run_started);
    auto result = call(workflow, run);
    // A value that was there before the cancel was asked for stands.
    Ending why = run.why();
    if (result && why <= Ending::cancelled && result->ok()) why = Ending::none;
    Finished finished;
    finished.error = run.ending_error();
    switch (why) {
    case Ending::none:
        if (result) {
            auto outcome = outcome_of(std::move(*result), options);
            const bool ok = !outcome.error;
            return finish(run, ok ? Ended::succeeded : Ended::failed,
                          ok ? journal::RunStatus::succeeded : journal::RunStatus::failed,
                          std::move(outcome));
        }
        [[fallthrough]];
    case Ending::parking:
        return park(run, run.waits());
    case Ending::cancelled: {
        const auto reason = permanent("cancelled", "the run was cancelled");
        return finish(run, Ended::cancelled, journal::RunStatus::cancelled, {reason, {}, false});
    }
    case Ending::misfit:
        return finish(run, Ended::failed, journal::RunStatus::failed, {finished.error, {}, false});
    case Ending::no_room: {
        auto waits = run.waits();
        waits.push_back({journal::Wait::On::time, run.now() + room_delay, {}});
        auto parked = park(run, std::move(waits));
        parked.error = finished.error;
        return parked;
    }
    case Ending::lost:
        finished.how = Ended::lost;
        return finished;
    case Ending::fault:
        finished.how = Ended::fault;
        return finished;
    case Ending::mismatch:
        // Nothing is written but that nobody needs to try this by himself: no retry loop.
        if (const auto status = activation.park({}); !status) return stopped_for(status);
        finished.how = Ended::replay_mismatch;
        return finished;
    }
    return finished;
}

Finished replay(const journal::RunHead& head, std::vector<journal::Record> records,
                std::vector<journal::Gate> gates, const Workflow& workflow,
                const ExecuteOptions& options) {
    Execution run(nullptr, head, records, std::move(gates), options);
    auto result = call(workflow, run);
    Finished finished;
    finished.error = run.ending_error();
    if (run.why() == Ending::mismatch) {
        finished.how = Ended::replay_mismatch;
        return finished;
    }
    if (!result) {
        finished.how =
            head.status == journal::RunStatus::cancelled ? Ended::cancelled : Ended::parked;
        if (head.result) finished.outcome = *head.result;
        return finished;
    }
    finished.outcome = outcome_of(std::move(*result), options);
    finished.error = finished.outcome.error;
    finished.how = finished.error ? Ended::failed : Ended::succeeded;
    const bool final =
        head.status == journal::RunStatus::succeeded || head.status == journal::RunStatus::failed;
    if (!final || !head.result) return finished;
    const bool same =
        head.result->error.has_value() == finished.outcome.error.has_value() &&
        (finished.outcome.error ? head.result->error->code == finished.outcome.error->code &&
                                      head.result->error->message == finished.outcome.error->message
                                : head.result->value_json == finished.outcome.value_json);
    if (!same) {
        finished.how = Ended::replay_mismatch;
        finished.error = permanent("replay_mismatch",
                                   "every step is as recorded, but the final value is another one");
    }
    return finished;
}

} // namespace foxwedge::run
