#include "run/execution.hpp"

#include <algorithm>
#include <condition_variable>
#include <random>

#include "base/log.hpp"
#include "journal/rules.hpp"
#include "run/attempts.hpp"

namespace foxwedge::run {
namespace {
/// How long, and how often, a finished body waits in memory for room in the journal.
constexpr Millis room_pause{200};
constexpr int room_tries = 150;
} // namespace

Execution::Execution(journal::Activation* activation, const journal::RunHead& head,
                     std::span<const journal::Record> records, std::vector<journal::Gate> gates,
                     const ExecuteOptions& options)
    : activation_(activation), head_(head), gates_(std::move(gates)), options_(options),
      stop_(activation ? activation->stopped() : std::stop_token()),
      history_(records, head.retried_at), names_(history_),
      activity_([this](const auto& waits, Millis waited) { return hold(waits, waited); },
                [this] { end(Ending::parking, permanent("parked", "the run waits")); }),
      pool_(options.pool ? options.pool : &own_pool_) {}

Time Execution::now() const {
    if (activation_) return activation_->now();
    return (options_.clock ? *options_.clock : system_clock()).now();
}

double Execution::chance(std::string_view step_key, int attempt) const {
    return options_.chance ? options_.chance() : fixed_chance(step_key, attempt);
}

Ending Execution::why() {
    if (ending_.load() < Ending::cancelled && stop_.stop_requested()) {
        if (activation_->cancelled())
            end(Ending::cancelled, permanent("cancelled", "the run was cancelled"));
        else
            end(Ending::lost, permanent("lease_lost", "another owner holds the run now"));
    }
    return ending_.load();
}

void Execution::end(Ending ending, Error error) {
    {
        const std::lock_guard lock(mutex_);
        if (ending <= ending_.load()) return;
        ending_.store(ending);
        error_ = std::move(error);
    }
    if (ending > Ending::parking) activity_.stop();
}

std::optional<Error> Execution::ending_error() const {
    const std::lock_guard lock(mutex_);
    return error_;
}

journal::Committed Execution::hold_back(const std::function<journal::Batch()>& make,
                                        bool must_last) {
    if (must_last) must_last_ = true;
    return write(make, &journal::Activation::hold);
}

void Execution::before_body() {
    if (must_last_) (void)write([] { return journal::Batch(); });
}

journal::Committed Execution::write(const std::function<journal::Batch()>& make,
                                    journal::Committed (journal::Activation::*by)(journal::Batch)) {
    using journal::Verdict;
    for (int tries = 0;; ++tries) {
        journal::Committed done = (activation_->*by)(make());
        const auto has = [&](Verdict v) {
            return std::find(done.verdicts.begin(), done.verdicts.end(), v) != done.verdicts.end();
        };
        if (has(Verdict::lost)) {
            end(Ending::lost, permanent("lease_lost", done.explanation));
        } else if (has(Verdict::io_error)) {
            end(Ending::fault, not_done("journal_fault", done.explanation));
        } else if (has(Verdict::full)) {
            // What never fits must not look like a journal that is full for now.
            if (const auto never = journal::unfit(make(), journal::Limits())) {
                end(Ending::misfit, permanent("too_large", *never));
                return done;
            }
            // A batch of several items keeps what fitted: making it anew would repeat that.
            const bool whole = done.verdicts.size() == 1;
            if (whole && tries < room_tries && !stop_.stop_requested()) {
                activation_->await_change({{journal::Wait::On::time, now() + room_pause, {}}},
                                          stop_);
                continue;
            }
            end(Ending::no_room, not_done("journal_full", done.explanation));
        }
        return done;
    }
}

bool Execution::wait(std::vector<journal::Wait> waits, const Fan* fan,
                     const std::function<bool()>& fired, const std::stop_token& look) {
    if (fired()) return true;
    const auto ticket = activity_.wait(std::move(waits), fan);
    const auto wake = ticket->wake.get_token();
    const std::stop_callback looks(look,
                                   [source = ticket->wake]() mutable { source.request_stop(); });
    bool done = false;
    // A run that is to park takes nothing more: it parks on this wait, which has fired then, and
    // is ready again at once. To go on here would end it at the next step, waiting for nothing.
    while (!ending() && !wake.stop_requested() && !(done = fired())) {
        activation_->await_change(ticket->waits, wake);
        activity_.look_again();
    }
    auto left = activity_.leave(ticket);
    if (!done && !ending() && look.stop_requested()) done = fired();
    if (!done) note_waits(std::move(left));
    return done;
}

void Execution::pause(Millis time) const {
    std::mutex mine;
    std::condition_variable_any nobody_tells;
    std::unique_lock lock(mine);
    nobody_tells.wait_for(lock, stop_, time, [] { return false; });
}

void Execution::note_waits(std::vector<journal::Wait> waits) {
    const std::lock_guard lock(mutex_);
    waits_.insert(waits_.end(), std::make_move_iterator(waits.begin()),
                  std::make_move_iterator(waits.end()));
}

std::vector<journal::Wait> Execution::waits() const {
    const std::lock_guard lock(mutex_);
    return waits_;
}

void Execution::hold_gate(std::string id) {
    const std::lock_guard lock(mutex_);
    held_gates_.insert(std::move(id));
}

bool Execution::is_under_way(std::string_view child, Millis waited) const {
    using journal::RunStatus;
    const auto status = activation_->status_of(child);
    if (!status) return false;
    // One that has ended is about to be taken. One that nobody comes for must not be waited for in
    // memory: it may need this very place.
    return is_final(*status) || *status == RunStatus::running ||
           (*status == RunStatus::ready && waited < options_.patience);
}

bool Execution::hold(const std::vector<journal::Wait>& waits, Millis waited) const {
    using On = journal::Wait::On;
    {
        const std::lock_guard lock(mutex_);
        if (std::any_of(waits.begin(), waits.end(), [this](const journal::Wait& wait) {
                return wait.on == On::gate && held_gates_.count(wait.id);
            }))
            return true;
    }
    {
        // A container has parked its lane: only a resumed run can go on with it.
        const std::lock_guard lock(mutex_);
        if (!waits_.empty()) return false;
    }
    const Time soon = now() + options_.patience;
    return std::any_of(waits.begin(), waits.end(), [&](const journal::Wait& wait) {
        switch (wait.on) {
        case On::time:
            return options_.stay_for_timers || wait.at <= soon;
        case On::gate:
            return options_.stay_for_decisions;
        case On::child:
            return options_.stay_for_children && park_on_children_ == 0 &&
                   is_under_way(wait.id, waited);
        case On::signal:
            return options_.stay_for_signals;
        }
        return false;
    });
}

std::optional<journal::Gate> Execution::gate_of(std::string_view step) const {
    const auto gates = activation_ ? activation_->gates() : gates_;
    const journal::Gate* newest = nullptr;
    for (const auto& gate : gates)
        if (gate.step == step && (!newest || newest->asked <= gate.asked)) newest = &gate;
    return newest ? std::optional(*newest) : std::nullopt;
}

std::optional<journal::Gate> Execution::gate(std::string_view id) const {
    return activation_->gate(id);
}

void Execution::note_unwound(std::string_view step) {
    const std::lock_guard lock(mutex_);
    if (unwound_at_.empty()) unwound_at_ = step;
}

std::string Execution::unwound_at() const {
    const std::lock_guard lock(mutex_);
    return unwound_at_;
}

void Execution::warn_swallowed(std::string_view where) {
    Log& log = options_.log ? *options_.log : silent_log();
    log.warn("run", "code caught the unwinding of a parked run; what it returned is dropped",
             {{"run", head_.id}, {"step", unwound_at()}, {"lane", std::string(where)}});
}

void Execution::tell(Event::Kind kind, const journal::StepKey& key, int attempt,
                     const journal::Outcome* outcome, std::optional<Millis> delay,
                     std::string detail_json) {
    if (!options_.events) return;
    options_.events(
        {kind, head_.id, key.name, key.kind, attempt, outcome, delay, std::move(detail_json)});
}

} // namespace foxwedge::run
