#include "session.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <pthread.h>
#include <pwd.h>
#include <set>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "questions.hpp"
#include "timeline.hpp"

namespace foxwedge::cli {
namespace {

/// Ctrl-C cancels the run; a second one ends the process at once, and the run stays resumable.
class Interrupts {
public:
    Interrupts(journal::Engine& engine, std::string run) : engine_(engine), run_(std::move(run)) {
        sigemptyset(&set_);
        sigaddset(&set_, SIGINT);
        sigaddset(&set_, SIGUSR2);
        pthread_sigmask(SIG_BLOCK, &set_, &before_);
        watcher_ = std::thread([this] { watch(); });
    }
    ~Interrupts() {
        done_ = true;
        pthread_kill(watcher_.native_handle(), SIGUSR2);
        watcher_.join();
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

private:
    void watch() {
        for (int count = 0; !done_;) {
            int signal = 0;
            if (sigwait(&set_, &signal) != 0 || signal != SIGINT) continue;
            if (++count > 1) ::_exit(130);
            note("cancelling; press Ctrl-C again to stop at once and resume later");
            if (auto cancelled = engine_.cancel(run_, decided_by("")); !cancelled)
                note(cancelled.error().message);
        }
    }

    journal::Engine& engine_;
    const std::string run_;
    sigset_t set_, before_;
    std::atomic<bool> done_{false};
    std::thread watcher_;
};

std::atomic<bool> calls_left{false};

void print_value(const Globals& globals, const std::string& run, const run::Finished& finished) {
    auto value = parse_json(finished.outcome.value_json);
    const Json known = value ? *value : Json();
    if (globals.json) {
        print(to_text(JsonObject{{"run", run}, {"status", "succeeded"}, {"value", known}}));
        return;
    }
    const auto* final_value = member(known, "final");
    const auto& shown = final_value ? *final_value : known;
    print(shown.is_string() ? std::string(view(shown.get_string())) : to_pretty_text(shown));
}

/// What lifts the budget or cap that has ended a run.
std::string way_on(std::string_view stop, const std::string& run) {
    const std::string_view key = stop == "budget"            ? "budget.usd=…"
                                 : stop == "max-iterations"  ? "maxIterations=…"
                                 : stop == "approval-budget" ? "maxApprovals=…"
                                                             : "";
    if (key.empty()) return "";
    return "; foxwedge resume " + run + " --set " + std::string(key) + " goes on with more of it";
}

int print_waiting(const Globals& globals, journal::Engine& engine, const std::string& run,
                  const run::Finished& finished) {
    journal::GateQuery query;
    query.root = run;
    auto gates = engine.gates(query);
    // A child that is stuck holds up who waits for it, and only a person can end that.
    journal::RunQuery stuck_ones;
    stuck_ones.root = run;
    stuck_ones.status = {journal::RunStatus::stuck};
    const auto stuck = engine.runs(stuck_ones);
    if (globals.json) {
        JsonArray ids, stuck_ids;
        if (gates)
            for (const auto& gate : *gates) ids.push_back(Json(gate.id));
        JsonObject out{{"run", run}, {"status", "waiting"}, {"gates", std::move(ids)}};
        if (finished.wakes_at) out["wakesAt"] = to_text(*finished.wakes_at);
        if (stuck)
            for (const auto& one : *stuck) stuck_ids.push_back(Json(one.id));
        if (!stuck_ids.empty()) out["stuck"] = std::move(stuck_ids);
        print(to_text(out));
        return waiting;
    }
    print(run);
    note(inked_error("waiting", Ink::yellow) + " for a decision:");
    if (gates)
        for (const auto& gate : *gates) note("  " + way_to_answer(gate));
    if (stuck)
        for (const auto& one : *stuck)
            note("  foxwedge resume " + one.id + " --retry   (it is stuck; or cancel it)");
    note("  foxwedge show " + run);
    return waiting;
}

int print_failure(const Globals& globals, const std::string& run, std::string_view status,
                  const Error& error, Exit exit) {
    if (globals.json) {
        print(to_text(
            JsonObject{{"run", run},
                       {"status", status},
                       {"error", JsonObject{{"code", error.code}, {"message", error.message}}}}));
    } else {
        note(inked_error(status, Ink::red) + ": " + error.message + " [" + error.code + "]");
        note("  foxwedge show " + run +
             (exit == failed ? "   (then: foxwedge resume " + run + " --retry)" : ""));
    }
    return exit;
}

} // namespace

bool calls_were_left() {
    return calls_left;
}

std::string os_user() {
    if (const auto* entry = ::getpwuid(::geteuid()); entry && entry->pw_name) return entry->pw_name;
    return "unknown";
}

std::string decided_by(const std::string& user) {
    return "user:" + (user.empty() ? os_user() : user);
}

Result<std::string> json_argument(const std::string& text) {
    std::string json = text;
    std::string place = "the argument";
    const auto most = JsonLimits().bytes;
    if (text == "-") {
        place = "standard input";
        FOXWEDGE_TRY(whole, read_whole(STDIN_FILENO, place, most));
        json = std::move(whole);
    } else if (!text.empty() && text.front() == '@') {
        place = text.substr(1);
        FOXWEDGE_TRY(whole, read_whole_file(place, most));
        json = std::move(whole);
    }
    auto value = parse_json(json);
    if (!value)
        return permanent("invalid_json", place + " is no JSON: " + value.error().message,
                         value.error().details);
    return to_text(*value);
}

int print_finish(const Globals& globals, journal::Engine& engine, const std::string& run,
                 const run::Finished& finished) {
    const Error none = permanent("unknown", "no reason was recorded");
    const auto& error = finished.error           ? *finished.error
                        : finished.outcome.error ? *finished.outcome.error
                                                 : none;
    switch (finished.how) {
    case run::Ended::succeeded: {
        print_value(globals, run, finished);
        auto value = parse_json(finished.outcome.value_json);
        const auto reason = value ? string_member(*value, "stopReason") : std::nullopt;
        if (!reason || *reason == "final") return succeeded;
        note("stopped: " + std::string(*reason) + way_on(*reason, run));
        return other_stop;
    }
    case run::Ended::failed:
        return print_failure(globals, run, "failed", error, failed);
    case run::Ended::cancelled:
        return print_failure(
            globals, run, "cancelled",
            finished.error ? error : permanent("cancelled", "the run was cancelled"), cancelled);
    case run::Ended::parked:
        return print_waiting(globals, engine, run, finished);
    case run::Ended::replay_mismatch:
        return print_failure(globals, run, "replay mismatch", error, mismatch);
    case run::Ended::lost:
        return print_failure(globals, run, "lost", error, held);
    case run::Ended::fault:
        return print_failure(globals, run, "fault", error, fault);
    }
    return fault;
}

int run_in_foreground(const Globals& globals, compose::Host& host, const std::string& run,
                      const journal::OpenOptions& open, run::Finished* kept) {
    return run_in_foreground(globals, host, journal::Engine::Begun{run, nullptr}, open, kept);
}

int run_in_foreground(const Globals& globals, compose::Host& host, journal::Engine::Begun begun,
                      const journal::OpenOptions& open, run::Finished* kept) {
    const std::string run = begun.run;
    const auto execute = [&](const compose::ExecuteRequest& request) {
        return host.execute_begun(std::exchange(begun, {run, nullptr}), request);
    };
    // Nobody who reads the progress may end the run by looking away.
    std::signal(SIGPIPE, SIG_IGN);
    // Shared: a call that would not end may still tell of its progress when this has returned.
    const auto progress = std::make_shared<Progress>(globals);
    host.world().events = [progress, before = host.world().events](const agent::StepEvent& event) {
        if (before) before(event);
        (*progress)(event);
    };
    compose::ExecuteRequest request;
    request.open = open;
    request.events = [progress](const run::Event& event) { (*progress)(event); };
    const bool person = person_present() && !globals.json;
    Interrupts interrupts(host.engine(), run);
    std::optional<Result<run::Finished>> finished;
    if (person) {
        // Parked while the person thinks: "later" leaves it at that, an answer goes on.
        std::set<std::string> put_off;
        const auto parked = [&] { return *finished && (*finished)->how == run::Ended::parked; };
        for (bool decided = true; decided;) {
            std::atomic<Stage> stage{Stage::active};
            std::thread worker([&] {
                finished = execute(request);
                stage = parked() ? Stage::parked : Stage::over;
            });
            decided = answer_questions(host.engine(), run, stage, put_off);
            worker.join();
            if (!parked()) break;
            request.open = {};
        }
    } else {
        finished = execute(request);
    }
    calls_left = calls_left || host.abandoned_calls() > 0;
    if (!*finished) return report(globals, finished->error());
    if (kept) *kept = **finished;
    if (kept && (*finished)->how == run::Ended::succeeded) return succeeded;
    return print_finish(globals, host.engine(), run, **finished);
}

} // namespace foxwedge::cli
