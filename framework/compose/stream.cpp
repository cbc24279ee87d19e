#include "compose/stream.hpp"

#include <algorithm>
#include <utility>

namespace foxwedge::compose {
namespace {

/// Of one attempt, kept for those who join late; a longer one is joined at its newest part.
constexpr std::size_t most_kept = 4u << 20;
/// Events that a listener may be behind before it is only told to look at the journal.
constexpr std::size_t most_waiting = 100'000;
/// How often a run that another process executes is looked at.
constexpr Millis look_again{200};

StreamEvent reset_of(const agent::StepEvent& event) {
    StreamEvent reset;
    reset.kind = StreamEvent::Kind::reset;
    reset.run = event.run;
    reset.step = event.step;
    reset.attempt = event.attempt;
    return reset;
}

StreamEvent delta_of(const agent::StepEvent& event) {
    StreamEvent delta = reset_of(event);
    delta.kind = StreamEvent::Kind::delta;
    delta.n = event.n;
    delta.delta = event.kind;
    delta.json = event.payload_json;
    return delta;
}

} // namespace

std::optional<StreamEvent> Broadcast::Ear::wait(Millis patience, std::stop_token stop) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, patience, [&] { return !queue_.empty(); });
    if (queue_.empty()) return std::nullopt;
    auto event = std::move(queue_.front());
    queue_.pop_front();
    return event;
}

void Broadcast::tell(Live& live, const std::optional<StreamEvent>& event) {
    for (auto at = live.ears.begin(); at != live.ears.end();) {
        const auto ear = at->lock();
        if (!ear) {
            at = live.ears.erase(at);
            continue;
        }
        ++at;
        const std::lock_guard lock(ear->mutex_);
        if (event && ear->queue_.size() >= most_waiting)
            continue; // a slow client loses deltas only
        ear->queue_.push_back(event);
        ear->changed_.notify_all();
    }
}

std::shared_ptr<Broadcast::Ear> Broadcast::listen(const std::string& run) {
    auto ear = std::make_shared<Ear>();
    const std::lock_guard lock(mutex_);
    Live& live = runs_[run];
    for (const auto& [step, attempt] : live.steps)
        ear->queue_.insert(ear->queue_.end(), attempt.events.begin(), attempt.events.end());
    live.ears.push_back(ear);
    return ear;
}

void Broadcast::said(const agent::StepEvent& event) {
    const std::lock_guard lock(mutex_);
    Live& live = runs_[event.run];
    Attempt& attempt = live.steps[event.step];
    if (attempt.number != event.attempt) {
        attempt = {event.attempt, 0, {reset_of(event)}};
        tell(live, attempt.events.front());
    }
    attempt.events.push_back(delta_of(event));
    attempt.bytes += event.payload_json.size();
    if (attempt.bytes > most_kept) {
        attempt.events.erase(attempt.events.begin() + 1,
                             attempt.events.begin() +
                                 static_cast<std::ptrdiff_t>(attempt.events.size() / 2));
        attempt.bytes /= 2;
    }
    tell(live, attempt.events.back());
}

void Broadcast::happened(const run::Event& event) {
    using Kind = run::Event::Kind;
    const std::lock_guard lock(mutex_);
    const auto at = runs_.find(event.run);
    if (at == runs_.end()) return;
    Live& live = at->second;
    if (event.kind == Kind::step_finished) live.steps.erase(event.step);
    if (event.kind == Kind::run_finished || event.kind == Kind::run_parked) live.steps.clear();
    tell(live, std::nullopt);
    if (live.steps.empty() && live.ears.empty()) runs_.erase(at);
}

Follower::Follower(std::shared_ptr<journal::Engine> engine, std::shared_ptr<Broadcast::Ear> ear,
                   std::string run, std::uint64_t after)
    : engine_(std::move(engine)), ear_(std::move(ear)), run_(std::move(run)), after_(after) {}

Status Follower::look() {
    // The head first: what is settled before the end is then on record for certain.
    FOXWEDGE_TRY(head, engine_->head(run_));
    FOXWEDGE_TRY(records, engine_->records(run_));
    for (const auto& record : records) {
        if (!record.outcome || record.sequence <= after_) continue;
        StreamEvent event;
        event.kind = StreamEvent::Kind::settled;
        event.run = run_;
        event.step = record.key.name;
        event.attempt = static_cast<int>(record.attempts.size());
        event.json = record.outcome->value_json;
        event.position = record.sequence;
        if (!record.outcome->error) done_.insert(record.key.name); // a failed one may be retried
        settled_.push_back(std::move(event));
    }
    std::sort(settled_.begin(), settled_.end(),
              [](const auto& a, const auto& b) { return a.position < b.position; });
    if (!settled_.empty()) after_ = settled_.back().position;
    if (is_final(head.status) && !ended_) {
        ended_ = true;
        StreamEvent end;
        end.run = run_;
        if (head.result) end.json = head.result->value_json;
        settled_.push_back(std::move(end));
    }
    return {};
}

Result<std::optional<StreamEvent>> Follower::next(std::stop_token stop) {
    while (!stop.stop_requested()) {
        // Who joins gets first what is durable, then what is under way.
        if (!std::exchange(looked_, true)) FOXWEDGE_CHECK(look());
        if (!settled_.empty()) {
            auto event = std::move(settled_.front());
            settled_.pop_front();
            return std::optional(std::move(event));
        }
        if (ended_) break;
        auto event = ear_->wait(look_again, stop);
        if (!event)
            FOXWEDGE_CHECK(look());
        else if (!done_.contains(event->step)) // else it settled while this client joined
            return event;
    }
    return std::optional<StreamEvent>();
}

} // namespace foxwedge::compose
