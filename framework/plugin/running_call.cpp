#include "plugin/running_call.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "plugin/text.hpp"

namespace foxwedge::plugin {
namespace {

std::string context_text(const Scope& scope) {
    std::string out;
    const auto part = [&](const char* name, const std::string& value) {
        out += out.empty() ? "{" : ",";
        append_quoted(out, name);
        out += ':';
        append_quoted(out, value);
    };
    part("project", scope.project);
    part("conversation", scope.conversation);
    part("run", scope.run);
    part("agent", scope.agent);
    part("user", scope.user);
    return out + "}";
}

/// The context of a call as JSON text. A thread works for one run at a time: most calls have the
/// same as the one before.
std::shared_ptr<const std::string> context_of(const Scope& scope) {
    thread_local Scope last;
    thread_local std::shared_ptr<const std::string> text;
    if (!text || last != scope) {
        text = std::make_shared<const std::string>(context_text(scope));
        last = scope;
    }
    return text;
}

// What the plugin calls. Nothing is thrown to it: what has no room comes to nothing.
std::int32_t api_cancelled(const foxwedge_call* call) noexcept {
    const CallPin pin(call);
    return !pin || pin->cancelled();
}
std::int64_t api_time_left(const foxwedge_call* call) noexcept {
    const CallPin pin(call);
    return pin ? pin->time_left_ms() : 0;
}
foxwedge_status api_emit(const foxwedge_call* call, std::uint32_t event,
                         foxwedge_str payload) noexcept {
    const CallPin pin(call);
    if (!pin) return FOXWEDGE_E_CANCELLED;
    try {
        return pin->emit(event, view(payload));
    } catch (...) {
        return FOXWEDGE_E_INTERNAL;
    }
}
void api_set_result(const foxwedge_call* call, foxwedge_str json) noexcept {
    const CallPin pin(call);
    if (pin) pin->set_result(view(json));
}
void api_set_error(const foxwedge_call* call, foxwedge_str code, foxwedge_str message,
                   foxwedge_str details) noexcept {
    const CallPin pin(call);
    if (pin) pin->set_error(view(code), view(message), view(details));
}

} // namespace

foxwedge_status status_of(const Error& error) {
    if (error.code == "cancelled") return FOXWEDGE_E_CANCELLED;
    if (error.code == parked_code) return FOXWEDGE_PARKED;
    if (error.code == "unsupported" || error.code == "unavailable") return FOXWEDGE_E_UNSUPPORTED;
    if (error.code == "internal") return FOXWEDGE_E_INTERNAL;
    switch (error.certainty) {
    case Certainty::not_done:
        return FOXWEDGE_E_TRANSIENT;
    case Certainty::done_with_error:
        return FOXWEDGE_E_FAILED;
    case Certainty::unknown:
        return FOXWEDGE_E_UNKNOWN;
    case Certainty::permanent:
        break;
    }
    return error.code == "conflict" ? FOXWEDGE_E_FAILED : FOXWEDGE_E_INVALID;
}

RunningCall::RunningCall(CallHome& home, Call& call, std::shared_ptr<const http::Caller> access,
                         Performer performer)
    : slot_(home.slots.take()), call_(&call), access_(std::move(access)), masking_(*home.masking),
      until_(call.until), caller_waits_(performer == Performer::another),
      step_key_(caller_waits_ ? call.step_key : std::string()), context_(context_of(call.scope)) {
    if (!slot_) return;
    slot_->api = {sizeof(foxwedge_call),
                  0,
                  nullptr,
                  str(caller_waits_ ? step_key_ : call.step_key),
                  str(*context_),
                  api_cancelled,
                  api_time_left,
                  api_emit,
                  api_set_result,
                  api_set_error};
    CallSlots::start(*slot_, *this);
}

RunningCall::~RunningCall() {
    // A call that never came to perform, because no thread was to be had.
    if (slot_ && !closed_) CallSlots::end(*slot_);
}

void RunningCall::perform(const std::function<foxwedge_status()>& verb) {
    foxwedge_status status = FOXWEDGE_E_INTERNAL;
    std::string thrown;
    try {
        status = verb();
    } catch (const std::exception& e) {
        thrown = std::string("threw an exception: ") + e.what();
    } catch (...) {
        thrown = "threw something that is no std::exception";
    }
    // Mostly no host function works for the call at this moment, and then none can any more.
    if (!CallSlots::try_end(*slot_)) {
        {
            std::lock_guard lock(mutex_);
            closed_ = true;
        }
        CallSlots::end(*slot_);
    }
    // Nobody but a waiting caller can look at this now.
    std::unique_lock lock(mutex_, std::defer_lock);
    if (caller_waits_) lock.lock();
    closed_ = true;
    status_ = status;
    thrown_ = std::move(thrown);
    done_ = true;
    if (caller_waits_) changed_.notify_all();
}

bool RunningCall::wait(Millis grace, const std::function<void()>& interrupt) {
    const std::stop_callback wake(until_.stop, [this] {
        std::lock_guard lock(mutex_);
        changed_.notify_all();
    });
    std::optional<std::chrono::steady_clock::time_point> leave;
    std::unique_lock lock(mutex_);
    while (!done_) {
        if (!leave && (until_.stopped() || until_.overdue())) {
            leave = std::chrono::steady_clock::now() + grace;
            lock.unlock();
            interrupt();
            lock.lock();
            continue;
        }
        const auto next = leave ? leave : until_.deadline;
        if (!next) {
            changed_.wait(lock);
        } else if (changed_.wait_until(lock, *next) == std::cv_status::timeout && leave && !done_ &&
                   std::chrono::steady_clock::now() >= *leave) {
            closed_ = true;
            lock.unlock();
            abandon();
            return false;
        }
    }
    return true;
}

void RunningCall::abandon() {
    left_ = true;
    // Whoever works with the caller's objects at this moment is waited for; nobody begins anew.
    std::lock_guard lock(host_code_);
    abandoned_ = true;
    script_.reset();
}

Ended RunningCall::ended(bool wants_result) {
    if (lent_) call_->borrow(); // the caller goes on
    script_.reset();            // what a plugin left running ends with its verb
    if (unwinding_) std::rethrow_exception(unwinding_);
    Ended end;
    end.overdue = until_.overdue() && !until_.stopped();
    // No lock: this thread has left, or has seen the verb end, and with it everybody who had one.
    if (abandoned_) {
        end.abandoned = true;
        end.status = FOXWEDGE_E_UNKNOWN;
        return end;
    }
    end.status = status_;
    if (!thrown_.empty()) {
        end.status = FOXWEDGE_E_INTERNAL;
        end.broken = thrown_;
    } else if (status_ == FOXWEDGE_OK && wants_result && results_ != 1) {
        end.status = FOXWEDGE_E_INTERNAL;
        end.broken = results_ == 0 ? "returned ok without a result"
                                   : "gave " + std::to_string(results_) + " results";
    } else if (status_ == FOXWEDGE_PARKED && !waits_) {
        end.status = FOXWEDGE_E_INTERNAL;
        end.broken = "returned parked without having registered a wait";
    } else if (status_ > FOXWEDGE_PARKED || status_ < FOXWEDGE_E_UNKNOWN) {
        end.status = FOXWEDGE_E_INTERNAL;
        end.broken = "returned the unknown status " + std::to_string(status_);
    }
    if (status_ == FOXWEDGE_OK) end.result = std::move(result_);
    if (said_) {
        end.said = std::move(said_);
    } else if (service_error_ && service_status_ == status_) {
        end.said = std::move(service_error_);
        end.passed_on = true;
    }
    return end;
}

bool RunningCall::cancelled() const {
    return left_ || until_.stopped() || until_.overdue();
}

std::int64_t RunningCall::time_left_ms() const {
    const auto left = until_.left();
    return left ? left->count() : -1;
}

foxwedge_status RunningCall::emit(std::uint32_t event, std::string_view payload) {
    if (cancelled()) return FOXWEDGE_E_CANCELLED;
    std::lock_guard lock(host_code_);
    if (left_) return FOXWEDGE_E_CANCELLED;
    if (!call_->events || event == 0 || event > FOXWEDGE_EVENT_LOG) return FOXWEDGE_OK;
    const auto shown = masking_.masked(payload);
    return call_->events->receive(static_cast<EventKind>(event), shown) ? FOXWEDGE_OK
                                                                        : FOXWEDGE_E_CANCELLED;
}

void RunningCall::set_result(std::string_view json) {
    std::lock_guard lock(mutex_);
    if (closed_) return;
    if (++results_ == 1) result_.assign(json);
}

void RunningCall::set_error(std::string_view code, std::string_view message,
                            std::string_view details) {
    const auto clean = [&](std::string_view text) { return masking_.masked(to_utf8(text)); };
    auto error = permanent(clean(code), clean(message), clean(details));
    std::lock_guard lock(mutex_);
    if (!closed_) said_ = std::move(error);
}

void RunningCall::note_service_error(const Error& error) {
    std::lock_guard lock(mutex_);
    service_error_ = error;
    service_status_ = status_of(error);
}

Status RunningCall::serve(const Work& work) {
    {
        std::lock_guard lock(mutex_);
        if (closed_) return permanent("cancelled", "the call is over");
    }
    std::lock_guard alone(host_code_);
    Status status;
    if (left_ || unwinding_) {
        status = permanent("cancelled", "the call is over");
    } else {
        try {
            if (call_->borrow) call_->borrow();
            lent_ = static_cast<bool>(call_->borrow);
            status = work(*call_, script_);
        } catch (...) {
            // The run unwinds: the plugin is asked to leave first, then it goes on from ended().
            unwinding_ = std::current_exception();
            status = permanent("cancelled", "the run is being parked");
        }
    }
    if (!status) {
        note_service_error(status.error());
        if (status.error().code == parked_code) waits_ = true;
    }
    return status;
}

} // namespace foxwedge::plugin
