// The seam below the run engine: durable runs without a type of any database in sight. LMDB and an
// engine in memory stand behind it (journal/lmdb_engine.hpp, journal/memory_engine.hpp) and pass
// one conformance suite. Rules: docs/journal-format.
//
// Texts named `…_json` are complete JSON texts. Every function may be called from any thread unless
// it says otherwise; nothing is returned before it is durable.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"

namespace foxwedge::journal {

/// Where a step stands. The position identifies it; the name says where it stands to people, is
/// compared too, and is unique within the run. `lane`: "" for the root; branch b of the fan-out (or
/// container) at index i of the root is "3.2" for i = 3, b = 2; nested "3.2/0.1".
struct StepKey {
    std::string lane;
    std::uint32_t index = 0;
    std::string name; ///< at most 512 bytes
    std::string kind; ///< "model", "tool", "gate", "timer", "child", "task", …
    Digest inputs{};  ///< over the canonical text of what the step was asked
};

struct Attempt {
    int number = 1;
    Time started{}, ended{};
    std::optional<Error> error;
};

/// How a step or a run ended.
struct Outcome {
    std::optional<Error> error; ///< set: failed
    std::string value_json;     ///< the recorded value; with an error whatever is to be kept, or ""
    bool tool_error = false;    ///< succeeded, but what it tells the model is an error
};

/// One step as the journal has it. No outcome: begun or waiting. The highest generation counts.
struct Record {
    StepKey key;
    std::uint64_t sequence = 0; ///< rises across the journal, in order of arrival
    std::uint32_t generation = 0;
    /// An attempt is on record as begun whose end is not: set by an Intent, cleared by a Completion
    /// without outcome. Found on resume: the body may or may not have had its effect.
    bool intent = false;
    std::vector<Attempt> attempts;
    std::optional<Outcome> outcome;
    std::string checkpoint; ///< ≤ 64 KiB, overwritable until there is an outcome
    std::string usage_json; ///< of a model step, or ""
    std::string trace_id;
};

/// A write to a collection of the store, applied with the item that carries it or not at all.
struct Effect {
    enum class Kind : std::uint8_t { put, remove, add };
    std::string collection; ///< see collection_name
    std::string key;        ///< up to 2,000 bytes, compared bytewise; NUL allowed, empty not
    Kind kind = Kind::put;
    std::string value_json; ///< put: ≤ 4 MiB
    std::string add_json;   ///< add: a number, or an object of numbers added member by member
    std::optional<std::uint64_t> expect; ///< revision that must hold; 0: the key must not exist
};

/// The collection of one namespace and scope: ("capability-kv", "project", "support").
std::string collection_name(std::string_view name_space, std::string_view scope,
                            std::string_view scope_id);

/// A durable question that any process can list and answer: approvals, MCP input, unknown outcomes.
struct Gate {
    std::string id; ///< 26 characters; filled in by the engine when empty
    std::string run, root;
    std::vector<std::string> path; ///< ids of agents from the root run's to the asking one
    std::string step;              ///< name of the gate's step
    std::string kind;              ///< "approval", "input", "unknown"
    /// {"tool", "callId", "arguments", "schema"?, "risk", "summary", "ruleSource", …}
    std::string about_json;
    Digest digest{}; ///< of exactly what would run (canonical arguments)
    /// Of "approve", "reject", "edit", "respond", "again", "use", "giveUp".
    std::vector<std::string> allow;
    Time asked{};
    std::optional<Time> deadline;
    std::string on_timeout; ///< "reject", "approve", "fail"; "" without a deadline
    enum class Status : std::uint8_t {
        pending,
        decided,
        expired,
        cancelled
    } status = Status::pending;
    /// {"answer", "decidedBy", "at", "arguments"?, "value"?, "reason"?}, once not pending
    std::string decision_json;
};

/// An answer to a gate.
struct Answer {
    std::string gate;         ///< its id
    Digest digest{};          ///< of what the person was shown
    std::string answer;       ///< one of the gate's `allow`
    std::string payload_json; ///< edit: the new arguments; respond, use: the result; else ""
    std::string reason;
    std::string decided_by; ///< "user:<name>", "system:rule", "rule:<id>", …
};

/// What a parked run waits for; any of them brings it back.
struct Wait {
    enum class On : std::uint8_t { time, gate, child, signal } on = On::time;
    Time at{};      ///< time
    std::string id; ///< gate id, child run id, signal key
};

enum class RunStatus : std::uint8_t {
    running,
    ready,
    waiting,
    succeeded,
    failed,
    cancelled,
    stuck
};
const char* to_string(RunStatus) noexcept;
std::optional<RunStatus> run_status(std::string_view);
inline bool is_final(RunStatus s) {
    return s == RunStatus::succeeded || s == RunStatus::failed || s == RunStatus::cancelled;
}

struct RunHead {
    std::string id, host, workflow, key;
    std::string parent, root; ///< run ids; parent "" for a root, whose root is itself
    RunStatus status = RunStatus::ready;
    Time created{}, updated{};
    std::uint64_t epoch = 0;
    std::string input_json;
    std::string config_json; ///< resolved configuration as pinned; secrets only by reference
    /// {"configFile", "conversation", "user", "agent", "project", …}: for people and scopes.
    std::string labels_json;
    std::optional<Outcome> result;
    std::uint32_t deaths = 0; ///< unclean deaths alone and without a new record since
    std::string reason;       ///< why stuck, who cancelled; or ""
    /// Sequence at the last retry, 0 without one: failed outcomes up to here may be superseded by
    /// the next generation of their steps.
    std::uint64_t retried_at = 0;
};

struct NewRun {
    std::string host, workflow;
    std::string key; ///< start key: the same one gives the same run; "" for none
    std::string input_json, config_json, labels_json;
    std::string id;           ///< filled in by the engine when empty
    std::string parent;       ///< for children; root follows from it
    std::vector<Record> seed; ///< a fork's shared prefix
    std::string forked_from;
};

/// `generation` in the items of a batch: 0, or one above the highest on record once that has a
/// failed outcome. Anything else is `conflict`, so a finished step is never finished twice. The
/// outcome of a gate's step withdraws its gate where nobody has answered that.
struct Completion {
    StepKey key;
    std::uint32_t generation = 0;
    Attempt attempt;
    std::optional<Outcome> outcome; ///< none: the attempt failed and is to be repeated
    std::vector<Effect> effects;    ///< applied only with a successful outcome
    std::string usage_json, trace_id;
};
struct Intent {
    StepKey key;
    std::uint32_t generation = 0;
};
/// Opening the gate of a step that has one already gives that one's id and changes nothing.
/// A gate whose status is not `pending` is recorded as it stands and never listed as open.
struct GateOpening {
    StepKey key;
    std::uint32_t generation = 0;
    Gate gate;
    std::vector<Effect> effects;
    std::vector<Effect>
        on_close; ///< applied in the transaction that decides, expires or cancels it
};
struct Checkpoint {
    StepKey key; ///< a step without outcome; begun by this if new
    std::uint32_t generation = 0;
    std::string bytes;
    std::vector<Effect> effects; ///< a parking plugin's store batch
};
struct ChildStart {
    StepKey key; ///< the container step that owns the child
    std::uint32_t generation = 0;
    NewRun run; ///< with id: the same id again joins the child that exists
};

/// Written in one transaction, each item by itself: one that does not fit or conflicts leaves the
/// others untouched.
struct Batch {
    std::vector<Intent> intents;
    std::vector<Completion> completions;
    std::vector<GateOpening> gates;
    std::vector<Checkpoint> checkpoints;
    std::vector<ChildStart> children;
};

enum class Verdict : std::uint8_t {
    recorded,
    conflict, ///< an expected revision or the generation did not hold: nothing of the item is on
              ///< record
    full,     ///< no room, or over a limit: nothing of the item is on record
    lost,     ///< another owner holds the run now: nothing of the batch is on record
    io_error, ///< the medium failed: nothing of the batch is on record
};
struct Committed {
    /// In the order intents, completions, gates, checkpoints, children.
    std::vector<Verdict> verdicts;
    std::vector<std::string> gate_ids; ///< of `gates`, in order
    std::string explanation;           ///< of the first verdict that is not `recorded`
};

/// The end of a child, in the order in which ends became durable.
struct ChildEnd {
    std::string child;
    RunStatus status = RunStatus::succeeded;
    Outcome outcome;
    std::uint64_t sequence = 0; ///< rises from end to end
};

/// One run, held by this process. Destroying it without park or finish gives the run up as `ready`.
class Activation {
public:
    virtual ~Activation() = default;

    virtual const RunHead& run() const = 0;
    /// All records as they were when the run was opened, by lane and index, older generations too.
    virtual std::span<const Record> records() const = 0;
    /// Of this run, pending and decided, as they are now.
    virtual std::vector<Gate> gates() const = 0;
    virtual std::optional<Gate> gate(std::string_view id) const = 0;

    virtual Committed commit(Batch) = 0;
    /// Like commit, but perhaps not durable yet: with the run's next commit, park or end, or by
    /// itself within about a second. Until then a death forgets it.
    virtual Committed hold(Batch) = 0;

    /// Ends of children so far, oldest first, from behind the one of that sequence on.
    virtual std::vector<ChildEnd> inbox(std::uint64_t after = 0) const = 0;
    /// The end of this child; none as long as it has not ended.
    virtual std::optional<ChildEnd> end_of(std::string_view child) const = 0;
    /// How a child stands; none: there is no such run.
    virtual std::optional<RunStatus> status_of(std::string_view child) const = 0;
    /// The value of a signal sent to this run, once there is one.
    virtual std::optional<std::string> signal(std::string_view key) const = 0;
    /// Blocks until one of the waits has fired, the run is stopped, or `stop` is requested; where a
    /// child is among the waits perhaps less long: whether it still moves is worth another look.
    virtual void await_change(const std::vector<Wait>&, std::stop_token stop) = 0;

    /// Gives the run up until one of the waits fires (`ready` at once if one already has).
    virtual Status park(const std::vector<Wait>&) = 0;
    /// Ends the run, closes open gates as cancelled, tells the parent's inbox, in one transaction.
    virtual Status finish(RunStatus, const Outcome&) = 0;

    /// Requested when the run is cancelled or no longer ours.
    virtual std::stop_token stopped() const = 0;
    virtual bool cancelled() const = 0;

    /// The time, never before any time that this run has on record.
    virtual Time now() const = 0;
};

struct OpenOptions {
    bool take_over = false; ///< from an owner that lives but is silent
    bool retry = false;     ///< a failed, stuck or budget-stopped run goes on, new generations
};

struct RunQuery {
    std::vector<RunStatus> status; ///< empty: all
    std::string host, workflow, parent, root;
    std::optional<Time> since;
    std::string id_prefix;
    std::string after; ///< id of the last row of the page before; lists run newest first
    int limit = 50;
};
struct GateQuery {
    std::string run, root, id_prefix, kind;
    bool pending_only = true;
    std::string after; ///< oldest first
    int limit = 50;
};

struct StoreItem {
    std::string key, value_json;
    std::uint64_t revision = 0;
    bool removed = false; ///< in `changes` only
};

struct Limits {
    std::size_t max_value = 8u << 20;
    std::size_t max_input = 64u << 20;
    std::size_t max_store_value = 4u << 20;
    bool effects_atomic = true;
};

/// Work that a host wants from `serve`.
struct ServeOptions {
    std::string host;
    std::vector<std::string> workflows; ///< empty: all of that host
    std::string only_root;              ///< a command line serves its own tree only; "" for all
    int slots = 1024;
};

/// One per journal and process.
class Engine {
public:
    virtual ~Engine() = default;

    struct Started {
        std::string run;
        bool existed = false;
    };
    /// `key_conflict` if the key belongs to another workflow or input.
    virtual Result<Started> start(const NewRun&) = 0;

    struct Begun {
        std::string run;
        std::unique_ptr<Activation> held; ///< null: the start key's run is there already
    };
    /// start() and open() in one, of a run without parent. `later`: a run without start key comes
    /// into being with its first commit, park or end, or by itself within about a second; until
    /// then only this process knows it, and a death forgets it.
    virtual Result<Begun> begin(const NewRun&, bool later) = 0;

    /// Holds exactly this run. `not_found`; `run_held` (details {"owner", "pid"}); `run_finished`;
    /// `run_stuck`; `journal_damaged`.
    virtual Result<std::unique_ptr<Activation>> open(std::string_view run,
                                                     const OpenOptions& = {}) = 0;
    /// Claims what is ready and calls `execute` on threads of its own until `stop`. Returns when
    /// all of them have returned.
    virtual void serve(const ServeOptions&,
                       std::function<void(std::unique_ptr<Activation>)> execute,
                       std::stop_token) = 0;

    /// Compare-and-set on (gate, digest, pending). `conflict` (details: the first decision),
    /// `expired`, `not_found`, `not_allowed`, `approval_stale` (another digest). The run is ready
    /// in the same transaction.
    virtual Result<Gate> answer(const Answer&) = 0;
    /// The run and its tree. What nobody holds is ended here; holders are told. `run_finished`.
    virtual Status cancel(std::string_view run, std::string_view who) = 0;
    /// `resume --retry`: a failed or stuck run becomes ready.
    virtual Status retry(std::string_view run) = 0;
    virtual Status signal(std::string_view run, std::string_view key,
                          std::string_view value_json) = 0;

    virtual Result<RunHead> head(std::string_view run) = 0;
    virtual Result<std::vector<RunHead>> runs(const RunQuery&) = 0;
    virtual Result<std::vector<Gate>> gates(const GateQuery&) = 0;
    /// By lane and index; readable while others write.
    virtual Result<std::vector<Record>> records(std::string_view run) = 0;

    virtual Result<std::optional<StoreItem>> get(std::string_view collection,
                                                 std::string_view key) = 0;
    virtual Result<std::vector<StoreItem>> scan(std::string_view collection,
                                                std::string_view prefix, std::string_view after,
                                                int limit) = 0;
    /// Keys changed after `revision`, deletions too, oldest first, each key at its newest state.
    virtual Result<std::vector<StoreItem>> changes(std::string_view collection,
                                                   std::uint64_t revision, int limit) = 0;
    /// Writes outside any run (tests, import). Atomic as a whole.
    virtual Result<Verdict> apply(std::span<const Effect>) = 0;

    virtual Limits limits() const = 0;
    /// True if a live process serves runs of this host and workflow ("": any).
    virtual bool served(std::string_view host, std::string_view workflow) = 0;
};

} // namespace foxwedge::journal
