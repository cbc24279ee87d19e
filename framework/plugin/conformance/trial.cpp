#include "plugin/conformance/trial.hpp"

#include <condition_variable>
#include <thread>

#include "base/loss.hpp"

namespace foxwedge::plugin::conformance {
namespace {

using Clock = std::chrono::steady_clock;

const char* name_of(foxwedge_status status) {
    switch (status) {
    case FOXWEDGE_OK:
        return "ok";
    case FOXWEDGE_PARKED:
        return "parked";
    case FOXWEDGE_E_INVALID:
        return "invalid";
    case FOXWEDGE_E_UNSUPPORTED:
        return "unsupported";
    case FOXWEDGE_E_TRANSIENT:
        return "transient";
    case FOXWEDGE_E_FAILED:
        return "failed";
    case FOXWEDGE_E_CANCELLED:
        return "cancelled";
    case FOXWEDGE_E_UNKNOWN:
        return "unknown";
    default:
        return "internal";
    }
}

class Listener final : public EventReceiver {
public:
    explicit Listener(std::vector<Event>& events) : events_(events) {}
    bool receive(EventKind kind, std::string_view payload) override {
        events_.push_back({kind, std::string(payload)});
        return true;
    }

private:
    std::vector<Event>& events_;
};

/// A run that never parks: nothing has fired yet, and nothing is waited for.
class NothingFired final : public Waits {
public:
    Result<Json> wait_for(const Json&) override { return Json(JsonObject{{"fired", false}}); }
};

std::string problem_of(const Told& told, const TrialSetting& setting) {
    const auto& end = told.end;
    if (end.abandoned)
        return "did not return within " + std::to_string(setting.grace.count()) +
               " ms of being told to end";
    if (end.by_host) return end.said ? end.said->message : "its process was lost";
    if (!end.broken.empty()) return end.broken;
    if (end.status == FOXWEDGE_OK && told.result.is_null())
        return "gave a result that is no JSON value";
    for (const auto& event : told.events)
        if (const auto payload = parse_json(event.payload); !payload || !payload->is_object())
            return "emitted event " + std::to_string(static_cast<std::uint32_t>(event.kind)) +
                   " with what is no JSON object";
    return {};
}

} // namespace

std::string described(const Told& told) {
    if (!told.problem.empty()) return told.problem;
    std::string text = name_of(told.end.status);
    if (!told.end.said) return text;
    if (!told.end.said->code.empty()) text += ", code " + told.end.said->code;
    if (!told.end.said->message.empty()) text += ": " + told.end.said->message;
    return text;
}

Vendor unreachable() {
    return {[](const Sending&) -> Status {
        return not_done("connect_failed", "there is no network in a check");
    }};
}

Vendor responding(int status, Json headers, std::string body) {
    auto head = to_text(JsonObject{{"status", status}, {"headers", std::move(headers)}});
    return {[head = std::move(head), body = std::move(body)](const Sending& to) -> Status {
        FOXWEDGE_CHECK(to.head(head));
        // In small pieces: a character or a line may be cut anywhere.
        constexpr std::size_t piece = 97;
        for (std::size_t at = 0; at < body.size(); at += piece)
            FOXWEDGE_CHECK(to.chunk(std::string_view(body).substr(at, piece)));
        return {};
    }};
}

Vendor silent() {
    return {[](const Sending& to) -> Status {
        std::mutex mutex;
        std::condition_variable_any given_up;
        std::unique_lock lock(mutex);
        const auto never = [] { return false; };
        if (to.until.deadline)
            given_up.wait_until(lock, to.until.stop, *to.until.deadline, never);
        else
            given_up.wait(lock, to.until.stop, never);
        if (to.until.stopped()) return permanent("cancelled", "the request was given up");
        return unknown_outcome("timeout", "no answer came in time");
    }};
}

/// What is outside of the box: its store and waits as in a host, the vendor instead of the network.
class Trial::Outside final : public Backend {
public:
    explicit Outside(Trial& trial)
        : trial_(trial),
          local_(make_local_backend(trial.setting_.plugin_id, Lent{}, trial.runtime_.masking)) {}

    Result<std::string> ask(const Asked& asked) override {
        {
            std::lock_guard lock(trial_.mutex_);
            ++trial_.asked_;
        }
        return local_->ask(asked);
    }
    Status send(const Sending& sending) override {
        auto request = parse_json(sending.request);
        if (!request || !request->is_object())
            return permanent("invalid_request", "the request is no JSON object");
        Vendor vendor;
        {
            std::lock_guard lock(trial_.mutex_);
            trial_.requests_.push_back(std::move(*request));
            vendor = trial_.vendor_;
        }
        return vendor.answer(sending);
    }
    bool has_http() const override { return true; }
    void log(LogLevel, std::string_view) override {}

private:
    Trial& trial_;
    const std::unique_ptr<Backend> local_;
};

Trial::Trial(const TrialSetting& setting, const Component& component, Json config)
    : setting_(setting), component_(component), config_(std::move(config)) {
    runtime_.masking = std::make_shared<Masking>(TextMask());
    runtime_.limits = {setting.grace, setting.longest, setting.longest, 1};
    box_setting_ = std::make_unique<BoxSetting>(BoxSetting{setting.children, runtime_});
    box_setting_->command.args = setting.seal;
    box_setting_->command.memory_bytes = std::uint64_t{4} << 30;
    box_setting_->command.cpu_seconds = 120;
    box_setting_->opening = {setting.library,
                             setting.digest_hex,
                             setting.plugin_id,
                             component.kind,
                             component.id,
                             to_text(config_),
                             setting.longest.count(),
                             setting.longest.count(),
                             true};
    box_setting_->backend = std::make_unique<Outside>(*this);
    box_setting_->name = "plugin " + setting.plugin_id;
}

Trial::~Trial() = default;

Status Trial::open() {
    if (box_ && box_->usable()) return {};
    box_.reset();
    if (box_setting_->command.program.empty()) {
        FOXWEDGE_TRY(program, process::find_libexec("plugin-box"));
        box_setting_->command.program = program;
    }
    FOXWEDGE_TRY(started, Box::start(*box_setting_));
    box_ = std::move(started);
    return {};
}

void Trial::answer_with(Vendor vendor) {
    std::lock_guard lock(mutex_);
    vendor_ = std::move(vendor);
}

void Trial::restart() {
    box_.reset();
}

std::uint32_t Trial::placements() const {
    return box_ ? box_->placements() : 0;
}

Told Trial::call(const VerbRequest& request, const Manner& manner) {
    Told told;
    if (const auto opened = open(); !opened) {
        told.end.by_host = true;
        told.end.said = opened.error();
        told.problem = "could not be opened again: " + opened.error().message;
        return told;
    }
    requests_.clear();
    asked_ = 0;
    Listener listener(told.events);
    NothingFired waits;
    std::stop_source stop;
    Call call;
    call.step_key = manner.step_key;
    call.scope = {"check", "conversation-1", "run-1", "agent", "ada"};
    call.events = &listener;
    call.store = manner.store;
    call.waits = &waits;
    call.until.stop = stop.get_token();
    call.until = call.until.within(manner.deadline.value_or(setting_.longest));
    const auto before = Clock::now();
    {
        std::jthread canceller;
        if (manner.cancel_after == Millis(0)) {
            stop.request_stop();
        } else if (manner.cancel_after) {
            canceller = std::jthread([&, after = *manner.cancel_after](std::stop_token over) {
                std::mutex mutex;
                std::condition_variable_any ended;
                std::unique_lock lock(mutex);
                if (!ended.wait_for(lock, over, after, [&] { return over.stop_requested(); }))
                    stop.request_stop();
            });
        }
        told.end = box_->call(request, call);
    }
    told.took = std::chrono::duration_cast<Millis>(Clock::now() - before);
    if (told.end.status == FOXWEDGE_OK)
        if (auto json = parse_json(told.end.result)) told.result = std::move(*json);
    {
        std::lock_guard lock(mutex_);
        told.requests = std::move(requests_);
        told.asked = asked_;
        requests_.clear();
    }
    told.problem = problem_of(told, setting_);
    if (told.problem.empty() && told.end.overdue && !manner.deadline)
        told.problem =
            "did not end by itself within " + std::to_string(setting_.longest.count()) + " ms";
    return told;
}

} // namespace foxwedge::plugin::conformance
