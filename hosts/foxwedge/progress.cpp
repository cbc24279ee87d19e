#include "progress.hpp"

#include "base/json.hpp"
#include "output.hpp"

namespace foxwedge::cli {
namespace {

std::string why(const run::Event& event) {
    const auto error = parse_json(event.detail_json);
    const auto message = error ? string_member(*error, "message").value_or("") : "";
    return message.empty() ? "" : ": " + shortened(message, 120);
}

} // namespace

void Progress::operator()(const run::Event& event) {
    using Kind = run::Event::Kind;
    if (quiet_) return;
    const std::lock_guard lock(mutex_);
    std::string line;
    switch (event.kind) {
    case Kind::run_started:
        if (!started_.insert(event.run).second) return;
        line = "run " + event.run;
        break;
    case Kind::step_started:
        line = "  " + event.step + " …";
        break;
    case Kind::step_retrying:
        line = "  " + event.step + " attempt " + std::to_string(event.attempt) + " failed" +
               (event.delay ? ", again in " + to_human_text(*event.delay) : "") + why(event);
        break;
    case Kind::step_finished:
        line = "  " + event.step +
               (event.outcome && event.outcome->error
                    ? " " + inked_error("failed", Ink::red) + ": " + event.outcome->error->message
                    : " " + inked_error("done", Ink::green));
        break;
    case Kind::gate_opened:
        line = "  " + event.step + " " + inked_error("waits for a decision", Ink::yellow);
        break;
    case Kind::gate_closed:
        line = "  " + event.step + " decided";
        break;
    case Kind::run_parked:
    case Kind::run_finished:
    case Kind::step_replayed:
        return;
    }
    note(line);
}

void Progress::operator()(const agent::StepEvent& event) {
    if (quiet_ || event.kind != EventKind::progress) return;
    const auto payload = parse_json(event.payload_json);
    const auto message = payload ? string_member(*payload, "message").value_or("") : "";
    if (message.empty()) return;
    const std::lock_guard lock(mutex_);
    note("    " + shortened(message, 200));
}

} // namespace foxwedge::cli
