#include "journal/lmdb_engine.hpp"

#include <cerrno>

#include "base/id.hpp"
#include "base/json.hpp"
#include "journal/bytes.hpp"
#include "journal/keys.hpp"
#include "journal/lmdb_process.hpp"
#include "journal/rules.hpp"

namespace foxwedge::journal {
namespace {

Error finished(std::string_view run, RunStatus status) {
    return permanent("run_finished",
                     "run " + std::string(run) + " has ended: " + to_string(status));
}

/// A run that comes into being later shares its first transaction with what it then records.
constexpr std::size_t small_birth = 64 << 10;

bool can_be_retried(RunStatus status) {
    return status == RunStatus::failed || status == RunStatus::stuck;
}

/// The run becomes ready; what failed last is done again.
void revive(Transitions& t, std::string_view packed, LiveRow& row) {
    const RunStatus before = row.status;
    row.status = RunStatus::ready;
    row.reason.clear();
    row.deaths = row.unclean = 0;
    row.retried_at = row.newest;
    row.updated = t.time_of(row);
    t.put(packed, row, before);
}

} // namespace

Result<Engine::Started> LmdbEngine::start(const NewRun& given) {
    FOXWEDGE_CHECK(check_new_run(given, limits()));
    NewRun run = given;
    const Time now = core_->clock().now();
    if (run.id.empty()) run.id = new_id(now);
    std::string root = run.id;
    if (!run.parent.empty()) {
        Txn txn = core_->read();
        auto parent = load_run(txn, packed_id(run.parent), Load::head_for_list);
        if (!parent)
            return permanent("not_found", "there is no run " + run.parent + " to be the parent");
        root = parent->head.root;
    }
    const PreparedRun prepared = prepare_run(run, root, now);
    if (const int error = core_->write_large(prepared.contents); error != 0)
        return core_->fault(error);
    auto how = Transitions::Start::started;
    std::string existing;
    const int error =
        core_->write([&](Transitions& t, WriteScope&) { how = t.start(prepared, existing); },
                     prepared.bytes(), false);
    if (error != 0) return core_->fault(error);
    switch (how) {
    case Transitions::Start::started:
        return Started{run.id, false};
    case Transitions::Start::existed:
        return Started{existing, true};
    case Transitions::Start::conflict:
        return key_conflict(run, existing);
    case Transitions::Start::no_parent:
        break;
    }
    return permanent("not_found", "there is no run " + run.parent + " to be the parent");
}

Result<Engine::Begun> LmdbEngine::begin(const NewRun& given, bool later) {
    if (core_->abandoned) return core_->gone();
    FOXWEDGE_CHECK(check_new_run(given, limits()));
    FOXWEDGE_CHECK(check_begun(given));
    NewRun run = given;
    const Time now = core_->clock().now();
    if (run.id.empty()) run.id = new_id(now);
    std::optional<PreparedRun> birth = prepare_run(run, run.id, now);
    auto held = core_->hold(birth->id, first_epoch);
    const auto refuse = [&](Error why) {
        core_->let_go(held);
        return why;
    };
    // A key that somebody else may use at this moment must be taken before anything is done.
    if (!later || !run.key.empty() || birth->bytes() > small_birth) {
        if (const int error = core_->write_large(birth->contents); error != 0)
            return refuse(core_->fault(error));
        auto how = Transitions::Start::started;
        std::string existing;
        const int error = core_->write(
            [&](Transitions& t, WriteScope&) { how = t.start(*birth, existing, core_->owner()); },
            birth->bytes(), false);
        if (error != 0) return refuse(core_->fault(error));
        if (how == Transitions::Start::conflict) return refuse(key_conflict(run, existing));
        if (how == Transitions::Start::existed) {
            core_->let_go(held);
            return Begun{existing, nullptr};
        }
        birth.reset();
    }
    RunHead head;
    head.id = head.root = run.id;
    head.host = std::move(run.host);
    head.workflow = std::move(run.workflow);
    head.key = std::move(run.key);
    head.status = RunStatus::running;
    head.created = head.updated = now;
    head.epoch = first_epoch;
    head.input_json = std::move(run.input_json);
    head.config_json = std::move(run.config_json);
    head.labels_json = std::move(run.labels_json);
    LiveRow live;
    live.updated = now;
    Begun begun{head.id, nullptr};
    begun.held =
        make_lmdb_activation(core_, std::move(held), std::move(head), {}, live, std::move(birth));
    return begun;
}

LiveRow LmdbEngine::take(Transitions& t, std::string_view packed, LiveRow row) {
    const RunStatus before = row.status;
    t.clear_waits(packed, row);
    row.status = RunStatus::running;
    row.owner = core_->owner();
    ++row.epoch;
    row.claimed_at = row.newest;
    row.updated = t.time_of(row);
    t.put(packed, row, before);
    return row;
}

Error LmdbEngine::held_by(const std::string& run, const std::string& owner) {
    const auto info = core_->owners().info(owner);
    const long pid = info ? info->pid : 0;
    std::string who = "process " + std::to_string(pid);
    if (info && !info->label.empty()) who += " (" + info->label + ")";
    return permanent("run_held", "run " + run + " is held by " + who,
                     "{\"owner\":" + quoted(owner) + ",\"pid\":" + std::to_string(pid) + "}");
}

Result<std::unique_ptr<Activation>> LmdbEngine::open(std::string_view run,
                                                     const OpenOptions& options) {
    if (core_->abandoned) return core_->gone();
    if (!is_id(run)) return no_such_run(run);
    core_->settle();
    const std::string packed = packed_id(run);
    core_->pay(packed);
    // Read before it is taken: a run that cannot be read is left as it is.
    std::optional<LoadedRun> loaded;
    const auto load = [&] {
        Txn txn = core_->read();
        loaded = load_run(txn, packed, Load::all);
        return txn.error();
    };
    if (const int error = load(); error != 0) return core_->fault(error);
    if (!loaded) return no_such_run(run);
    if (loaded->damage) return damage_error(run, *loaded->damage);

    std::optional<Error> refused;
    std::optional<LiveRow> taken;
    const int error = core_->write(
        [&](Transitions& t, WriteScope&) {
            refused.reset();
            taken.reset();
            auto row = t.live(packed);
            if (!row) return void(refused = no_such_run(run));
            // A run that a budget or a cap has stopped counts as succeeded.
            if (options.retry &&
                (can_be_retried(row->status) || row->status == RunStatus::succeeded))
                revive(t, packed, *row);
            if (is_final(row->status)) return void(refused = finished(run, row->status));
            if (row->status == RunStatus::stuck)
                return void(refused = permanent("run_stuck", "run " + std::string(run) +
                                                                 " is stuck: " + row->reason));
            if (!row->owner.empty() && core_->alive(row->owner)) {
                if (!options.take_over)
                    return void(refused = held_by(std::string(run), row->owner));
                t.concerns_holders();
            } else if (!row->owner.empty()) {
                const std::string owner = row->owner;
                t.bury(owner);
                row = t.live(packed);
                if (!row || row->status != RunStatus::ready)
                    return void(refused =
                                    permanent("run_stuck",
                                              "run " + std::string(run) + " is " +
                                                  to_string(row ? row->status : RunStatus::stuck)));
            }
            taken = take(t, packed, *std::move(row));
        },
        1024, true);
    if (error != 0) return core_->fault(error);
    if (refused) return *std::move(refused);
    auto held = core_->hold(packed, taken->epoch);
    const std::uint64_t tail = loaded->live.tail;
    if (tail != taken->tail) {
        if (const int again = load(); again != 0) return core_->fault(again);
        if (loaded->damage) return damage_error(run, *loaded->damage);
    }
    RunHead head = std::move(loaded->head);
    head.status = taken->status;
    head.epoch = taken->epoch;
    head.updated = taken->updated;
    head.deaths = taken->deaths;
    head.reason = taken->reason;
    head.retried_at = taken->retried_at;
    head.result.reset();
    return make_lmdb_activation(core_, std::move(held), std::move(head), std::move(loaded->entries),
                                *taken);
}

Result<Gate> LmdbEngine::answer(const Answer& answer) {
    const std::string packed = packed_id(answer.gate);
    Status judged;
    std::optional<GateRow> row;
    const int error = core_->write(
        [&](Transitions& t, WriteScope& scope) {
            judged = {};
            row = read_gate(scope.txn, packed);
            if (!row || !is_id(answer.gate)) {
                judged = permanent("not_found", "there is no gate " + answer.gate);
                return;
            }
            const Time now = std::max(t.now(), row->gate.asked);
            judged = judge(row->gate, answer, now);
            if (judged) {
                t.close(packed, *row, Gate::Status::decided, decision_of(answer, now));
            } else if (is_due(row->gate, now)) {
                t.close(packed, *row, Gate::Status::expired, timeout_decision(row->gate, now));
            }
        },
        4096 + answer.payload_json.size(), true);
    if (error != 0) return core_->fault(error);
    if (!judged) return judged.error();
    return std::move(row->gate);
}

Status LmdbEngine::cancel(std::string_view run, std::string_view who) {
    core_->pay(packed_id(run));
    Status result;
    const int error = core_->write(
        [&](Transitions& t, WriteScope&) {
            result = {};
            const std::string packed = packed_id(run);
            const auto row = t.live(packed);
            if (!row || !is_id(run))
                result = no_such_run(run);
            else if (row->status == RunStatus::cancelled)
                return;
            else if (is_final(row->status))
                result = finished(run, row->status);
            else
                t.cancel_tree(packed, std::string(who));
        },
        4096, true);
    if (error != 0) return core_->fault(error);
    return result;
}

Status LmdbEngine::retry(std::string_view run) {
    core_->settle();
    std::optional<Error> refused;
    const int error = core_->write(
        [&](Transitions& t, WriteScope&) {
            refused.reset();
            const std::string packed = packed_id(run);
            auto row = t.live(packed);
            if (!row || !is_id(run)) return void(refused = no_such_run(run));
            if (can_be_retried(row->status)) return revive(t, packed, *row);
            refused = permanent("not_failed", "run " + std::string(run) + " is " +
                                                  to_string(row->status) +
                                                  "; only a failed or stuck run can be retried");
        },
        512, true);
    if (error != 0) return core_->fault(error);
    if (refused) return *std::move(refused);
    return {};
}

Status LmdbEngine::signal(std::string_view run, std::string_view key, std::string_view value) {
    if (key.empty() || key.size() > max_store_key)
        return permanent("input_validation", "a signal's key has 1 to 2,000 bytes");
    if (value.size() > limits().max_store_value)
        return permanent("too_large", "a signal's value is over 4 MiB");
    std::string bytes;
    ByteWriter w(bytes);
    w.text(key);
    w.raw(value);
    const std::string packed = packed_id(run);
    core_->pay(packed);
    const std::string place = side_key(packed, side_signal, shortened(key));
    Status result;
    const int error = core_->write(
        [&](Transitions& t, WriteScope& scope) {
            result = {};
            const auto row = t.live(packed);
            if (!row || !is_id(run))
                result = no_such_run(run);
            else if (is_final(row->status))
                result = finished(run, row->status);
            if (!result || scope.txn.get(Table::side, place)) return; // the first one counts
            scope.txn.put(Table::side, place, bytes);
            t.wake(packed, Wait::On::signal, std::string(key));
        },
        512 + bytes.size(), false);
    if (error != 0) return core_->fault(error);
    return result;
}

Result<std::unique_ptr<Engine>> open_journal(const JournalOptions& options) {
    FOXWEDGE_TRY(core, LmdbCore::open(options));
    return std::unique_ptr<Engine>(std::make_unique<LmdbEngine>(std::move(core)));
}

void abandon(Engine& engine) {
    auto& core = static_cast<LmdbEngine&>(engine).core();
    core.abandoned = true;
    core.owners().drop_dead();
}

} // namespace foxwedge::journal
