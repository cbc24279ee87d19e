// One verb under way: what stands behind a foxwedge_call. The caller waits here, lends the plugin's
// thread what it asks of the run, and leaves when the plugin does not come back.
#pragma once
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "contracts/call.hpp"
#include "contracts/services.hpp"
#include "plugin/call_slots.hpp"
#include "plugin/lent.hpp"

namespace foxwedge::http {
struct Caller;
}

namespace foxwedge::plugin {

/// What a verb came to, before anyone interprets it.
struct Ended {
    foxwedge_status status = FOXWEDGE_E_INTERNAL;
    std::string result;        ///< with FOXWEDGE_OK
    std::optional<Error> said; ///< what set_error gave, or the service's error that is passed on
    bool passed_on = false;    ///< `said` is a service's: its class counts, not the status'
    bool by_host = false;      ///< `said` is the host's own: no verb was called
    bool abandoned = false;
    bool overdue = false; ///< the deadline had passed
    std::string broken;   ///< which promise the plugin broke; empty if none
};

/// What the calls of one plugin have in common; outlives them.
struct CallHome {
    CallSlots slots;
    std::shared_ptr<const Masking> masking;
};

/// Whose thread performs the verb.
enum class Performer : std::uint8_t {
    caller,  ///< the caller's own: it stays until the verb has ended
    another, ///< the caller waits; it may leave
};

class RunningCall {
public:
    /// `call` must outlive every use of this by the caller's thread, not longer.
    /// `access`: what the component may reach over http; null: what everybody may.
    RunningCall(CallHome&, Call& call, std::shared_ptr<const http::Caller> access, Performer);
    ~RunningCall();
    RunningCall(const RunningCall&) = delete;
    RunningCall& operator=(const RunningCall&) = delete;

    /// Null if the system had no memory for it.
    const foxwedge_call* api() const { return slot_ ? &slot_->api : nullptr; }

    // For the thread that runs the verb.
    /// Runs `verb`, keeps what it throws from leaving, and closes the call.
    void perform(const std::function<foxwedge_status()>& verb);

    // For the caller's thread.
    /// Until the verb has ended, or has been abandoned `grace` after its cancellation. `interrupt`
    /// is called once, when the call is cancelled. False if it was abandoned.
    bool wait(Millis grace, const std::function<void()>& interrupt);
    /// What it came to; once, after perform or wait. `wants_result`: the verb owes one. Throws what
    /// a run's own service threw (its unwinding).
    Ended ended(bool wants_result);

    // For the host functions that a plugin calls.
    bool cancelled() const;
    std::int64_t time_left_ms() const;
    foxwedge_status emit(std::uint32_t event, std::string_view payload);
    void set_result(std::string_view json);
    void set_error(std::string_view code, std::string_view message, std::string_view details);
    /// Runs `work` with the caller's Call, one at a time, while the caller itself waits. Keeps the
    /// error, so that a verb can pass it on. `cancelled` once the call is over.
    using Work = std::function<Status(Call&, std::unique_ptr<Script>&)>;
    Status serve(const Work&);
    void note_wait() { waits_ = true; }
    /// A service failed for this call: if the verb returns its status, this is the verb's error.
    void note_service_error(const Error&);
    const std::shared_ptr<const http::Caller>& access() const { return access_; }
    const Until& until() const { return until_; }

private:
    void abandon();

    CallSlot* slot_;
    Call* call_;
    const std::shared_ptr<const http::Caller> access_;
    const Masking& masking_;
    const Until until_;
    const bool caller_waits_;
    const std::string step_key_; // of a caller that may leave
    const std::shared_ptr<const std::string> context_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool done_ = false;
    bool closed_ = false; // nothing reaches the caller's objects any more
    std::atomic<bool> left_{false};

    std::unique_ptr<Script> script_;
    std::mutex host_code_; // one host function at a time works with the caller's objects
    bool lent_ = false;
    foxwedge_status status_ = FOXWEDGE_E_INTERNAL;
    std::string result_, thrown_;
    int results_ = 0;
    std::optional<Error> said_;
    std::optional<Error> service_error_;
    foxwedge_status service_status_ = FOXWEDGE_OK;
    std::atomic<bool> waits_{false};
    bool abandoned_ = false;
    std::exception_ptr unwinding_;
};

/// The status by which a service tells an error to a plugin.
foxwedge_status status_of(const Error&);

} // namespace foxwedge::plugin
