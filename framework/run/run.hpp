// Durable execution for plain sequential code: steps, fan-out, waits, children. The rules are in
// docs/runs; the short form:
//
//   * Code between steps is a pure function of the run's input and earlier outcomes.
//   * step(): recorded → its outcome at once; else the body runs and its outcome is made durable
//     before anyone sees it.
//   * A run that must wait parks by unwinding off its thread with `Parking`, which is no
//     std::exception. Let it pass; whatever the workflow returns or throws after that is dropped.
//   * Concurrency exists only through fan_out(); each branch is a lane, used by one thread at a
//   time.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "base/retry.hpp"
#include "base/stop.hpp"
#include "journal/engine.hpp"

namespace foxwedge {
class Log;
}

namespace foxwedge::run {

class Pool;

/// The one exception of the engine: a run on its way to being parked or stopped. Not derived from
/// std::exception on purpose; never catch it by name. A `noexcept` function above a step ends the
/// whole process when the run parks: use try_step() there.
struct Parking {};

/// What a container's body returns to park.
inline Error parked() {
    return permanent("parked", "the run waits");
}

/// What to do when a step's body was begun and its outcome is unknown.
enum class OnInterrupted : std::uint8_t { retry, ask, fail };

struct StepOptions {
    std::string kind = "task";
    /// What the step is asked, compared on replay. Canonical text is taken by the engine; give a
    /// ready digest instead where the inputs are large or chained.
    Json inputs;
    std::optional<Digest> inputs_digest;
    RetryPolicy retry;
    Repeat repeat = Repeat::always;
    OnInterrupted on_interrupted = OnInterrupted::retry; ///< `ask`, `fail`: an intent goes first
    std::optional<Millis> timeout; ///< of one attempt; counts as an unknown outcome
    /// What a person is shown when an unknown outcome must be decided; name "<step>:unknown:<n>"
    /// with `unknown_name` in place of the step's own where the contract says so.
    std::string about_json;
    std::vector<std::string> path; ///< of that question: ids of agents from the root run's
    /// A body that may park: it may use Call::lane for sub-steps, and parks by returning
    /// `parked()`.
    bool container = false;
};

/// What a body gives: the value that is recorded, as JSON text, with what belongs to it.
struct StepValue {
    std::string value_json = "null";
    bool tool_error = false;              ///< a finished step that tells the model of an error
    std::vector<journal::Effect> effects; ///< applied in the transaction that records the value
    std::string usage_json;
};

class Run;

/// One attempt of a step's body. Lives until the body returns.
class StepCall {
public:
    virtual ~StepCall() = default;
    virtual const std::string& key() const = 0; ///< "<run>/<step>[#<generation>]": idempotency key
    virtual int attempt() const = 0;            ///< from 1
    virtual const Until& until() const = 0;     ///< stop and deadline of this attempt
    virtual const std::string& checkpoint() const = 0;
    /// Overwrites the step's checkpoint durably (≤ 64 KiB), with effects if a plugin parks.
    virtual Status save_checkpoint(std::string bytes,
                                   std::vector<journal::Effect> effects = {}) = 0;
    /// The lane for sub-steps of a container: gates, children, waits inside the body.
    virtual Run& lane() = 0;
};

using Body = std::function<Result<StepValue>(StepCall&)>;

/// A question to a person, as a step of its own.
struct GateSpec {
    std::string name; ///< of the step: "<id>:iter:0:tool:<callId>:approval"
    std::string kind = "approval";
    std::string about_json;
    Digest digest{};
    std::vector<std::string> path;
    std::vector<std::string> allow;
    std::optional<Millis> timeout; ///< from now; none: waits for ever
    std::string on_timeout = "reject";
    /// Somebody holds a connection open for the answer: the run stays active while it waits.
    bool held = false;
    /// Requested: whoever wanted the answer does not any more, and the gate is withdrawn while it
    /// waits. Its decision is then by "system:cancel".
    std::stop_token taken_back;
    /// Set: the gate is recorded as answered by the system and never shown: {"answer", "decidedBy",
    /// …}.
    std::optional<std::string> decided_json;
    /// With the opening and with the closing; "<gate>" in a key stands for the gate's id.
    std::vector<journal::Effect> effects;
    std::vector<journal::Effect> effects_on_close;
};

/// One branch of a fan-out. `gate` is its first step, opened together with its siblings' gates.
struct Branch {
    std::optional<GateSpec> gate;
    /// Gets the gate's decision ({"answer", "decidedBy", …}) where there is one, else "".
    std::function<Result<Json>(Run& lane, const std::string& decision_json)> body;
    bool exclusive = false; ///< its body runs alone (a tool that is not parallelSafe)
};
struct FanOut {
    /// Where any branch has a gate: the step that records all verdicts, in one commit with them.
    std::string gates_name;
    std::string gates_json; ///< its value
    std::vector<Branch> branches;
    int at_most = 10; ///< bodies at a time
};

struct ChildSpec {
    std::string name; ///< of the step
    std::string workflow;
    std::string input_json, config_json, labels_json;
    /// start_child: what is applied with its record, given the child's id.
    std::function<std::vector<journal::Effect>(const std::string& id)> effects;
};
struct ChildResult {
    std::string run;
    journal::RunStatus status;
    journal::Outcome outcome;
};

/// A handle to one lane of a run. The root lane is given to the workflow, others to branches and
/// containers; each is used by one thread at a time and lives as long as its workflow or branch.
class Run {
public:
    virtual ~Run() = default;

    virtual const journal::RunHead& head() const = 0;
    virtual const std::string& id() const = 0;

    /// The recorded or new outcome of one step. Fails with the recorded error once retries are used
    /// up or the failure is permanent; `duplicate_step` for a name used twice; `replay_mismatch`;
    /// `misuse` (in a destructor, inside another body, on a strange thread); `invalid_name` for one
    /// that is empty, over 512 bytes or, of kind "task", holds a ':'. Unwinds with Parking
    /// when the run is to park or stop.
    virtual Result<StepValue> step(std::string_view name, const StepOptions&, const Body&) = 0;
    /// The same for code that must not be unwound: error code `parked` instead of Parking.
    virtual Result<StepValue> try_step(std::string_view name, const StepOptions&, const Body&) = 0;

    /// Requested when the run is cancelled or no longer ours: for what is done between steps.
    virtual std::stop_token stopped() const = 0;

    /// True while the next step of this lane is answered from the record.
    virtual bool replaying() const = 0;
    /// The name on record at this lane's next position, with an outcome or without; "" where there
    /// is none. For code whose next step hangs on what only a live call can tell.
    virtual std::string_view next_step() const = 0;
    /// The value on record there, or "".
    virtual std::string_view next_value() const = 0;

    /// How many configurations later than the pinned one are in force for this lane's next step:
    /// 0, or the number of the one among configurations() that counts, from 1.
    virtual std::uint32_t configuration() const = 0;
    /// The texts that were put in force after the start of the run, in order.
    virtual std::vector<std::string_view> configurations() const = 0;

    virtual std::vector<Result<Json>> fan_out(FanOut) = 0;

    /// Asks and waits: the decision {"answer", "decidedBy", "at", "arguments"?, "value"?,
    /// "reason"?}.
    virtual Result<Json> ask(const GateSpec&) = 0;
    /// Steps over a question that was asked here and is not wanted any more: one that nobody has
    /// answered is withdrawn.
    virtual Status withdraw(const GateSpec&) = 0;
    virtual Status sleep(std::string_view name, Millis) = 0;
    virtual Result<Time> now(std::string_view name) = 0;
    virtual Result<double> random(std::string_view name) = 0; ///< in [0, 1)
    virtual Result<ChildResult> child(const ChildSpec&) = 0;
    /// Starts a child and goes on: its run id. Its end is given by next_child of this lane.
    /// Children that are started together come into being together, at the latest when this lane
    /// waits.
    virtual Result<std::string> start_child(const ChildSpec&) = 0;
    /// Waits for the next end among the children that this lane started, in the order in which the
    /// ends became durable. `no_children` when every end has been given.
    /// `effects` of it are applied with the record of the end.
    virtual Result<ChildResult> next_child(
        std::string_view name,
        const std::function<std::vector<journal::Effect>(const ChildResult&)>& effects = {}) = 0;
    /// Lets the children that were started come into being now.
    virtual Status create_children() = 0;
    /// Waits for a signal sent through the journal: its value.
    virtual Result<Json> signal(std::string_view name, std::string_view key) = 0;

    /// false: from here on this lane gives error `parked` where it would unwind, for code that an
    /// exception must not cross (a plugin behind the C boundary).
    virtual void unwinds(bool) = 0;
    /// It belongs to the calling thread from here on; nobody else uses it at this moment.
    virtual void moves_here() = 0;
    /// For the body of a container that parks by returning parked(): true if the wait has fired,
    /// else the run is parked on it too. Not recorded.
    virtual bool wait_for(const journal::Wait&) = 0;
};

/// Code of a workflow: gets the root lane; its value is the run's result.
using Workflow = std::function<Result<Json>(Run&)>;

/// What happens while a run executes, for progress lines, `show --follow`, telemetry. May come from
/// several threads; must be quick.
struct Event {
    enum class Kind : std::uint8_t {
        run_started,
        run_parked,
        run_finished,
        step_started,
        step_retrying,
        step_finished,
        step_replayed,
        gate_opened,
        gate_closed,
    } kind;
    std::string run, step, step_kind;
    int attempt = 0;
    const journal::Outcome* outcome = nullptr;
    std::optional<Millis> delay; ///< step_retrying
    std::string detail_json;
};
using EventSink = std::function<void(const Event&)>;

enum class Ended : std::uint8_t {
    succeeded,
    failed,
    cancelled,
    parked,          ///< waits for time, a person or a child; see waiting_for_decision
    replay_mismatch, ///< nothing was written
    lost,            ///< another owner holds the run
    fault,           ///< journal or I/O
};
struct Finished {
    Ended how = Ended::failed;
    journal::Outcome outcome; ///< of a run that ended
    std::optional<Error> error;
    bool waiting_for_decision_only = false;
    std::optional<Time> wakes_at; ///< the earliest timer
};

struct ExecuteOptions {
    const Clock* clock = nullptr; ///< replay only; an activation has its own time
    EventSink events;
    int pool_threads = 64;          ///< bodies of one fan-out of this run at a time
    std::function<double()> chance; ///< jitter; default: fixed by step and attempt
    Pool* pool = nullptr;           ///< threads shared by several runs; default: the run's own
    Log* log = nullptr;
    std::size_t max_value = journal::Limits().max_value;

    /// While everything of the run waits it parks, unless something comes within `patience` or one
    /// of these is set for what it waits for: then it stays in memory on its thread.
    Millis patience{1'000};
    bool stay_for_timers = false;
    bool stay_for_children = false; ///< of which one is executed, or about to be
    bool stay_for_decisions = false;
    bool stay_for_signals = false;

    /// The workflow's code goes from each step to the next, or to its end, at once: an outcome may
    /// be recorded with what comes next. It is on record before another body begins, unless it can
    /// be asked for again without harm (a list of tools).
    bool brief = false;
};

/// Puts another configuration in force from here on, for what is open or new: `text_json` is what
/// Run::configurations() gives from the next execution on. Only while nothing executes the run.
Status change_configuration(journal::Activation&, const std::string& text_json);
/// The record of that, next among `records`: for the seed of a fork.
journal::Record configuration_record(std::span<const journal::Record>, const std::string& text_json,
                                     Time now);

/// Runs `workflow` over a held run until it ends or parks. Blocks; the caller's thread is the root
/// lane's.
Finished execute(journal::Activation&, const Workflow&, const ExecuteOptions&);

/// Replays a finished or parked run from its records alone: no body runs, nothing is written. Ends
/// `replay_mismatch` at the first difference; a step past the record ends it as `parked`.
Finished replay(const journal::RunHead&, std::vector<journal::Record>, std::vector<journal::Gate>,
                const Workflow&, const ExecuteOptions&);

} // namespace foxwedge::run
