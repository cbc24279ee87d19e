// foxwedge/call.hpp: the call of a verb, and how it fails, for plugins in C++.
#pragma once
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "abi.h"
#include "json.hpp"

namespace foxwedge::plugin {

constexpr foxwedge_str str(std::string_view s) noexcept {
    return {s.data(), s.size()};
}
constexpr std::string_view view(foxwedge_str s) noexcept {
    return {s.data, s.size};
}

/// Throw it to end a verb. Without a code the error of the service that gave `status` is passed on.
class Failure : public std::exception {
public:
    explicit Failure(foxwedge_status ending) noexcept : status(ending) {}
    Failure(foxwedge_status ending, std::string word, std::string sentence, Value more = nullptr)
        : status(ending), code(std::move(word)), message(std::move(sentence)),
          details(std::move(more)) {}
    const char* what() const noexcept override { return message.c_str(); }

    foxwedge_status status;
    std::string code;    ///< stable, for programs
    std::string message; ///< a sentence, for people
    Value details; ///< an object, or null: retryAfterMs, httpStatus, pointer, limit, line, column
};

/// Throw it after registering a wait: the same call comes again when the wait is over.
inline Failure parked() noexcept {
    return Failure(FOXWEDGE_PARKED);
}

/// The way back to the host, valid until the verb returns. Cheap to copy.
class Call {
public:
    explicit Call(const foxwedge_call* call) noexcept : call_(call) {}
    const foxwedge_call* raw() const noexcept { return call_; }

    bool cancelled() const noexcept { return call_->cancelled(call_) != 0; }
    /// Milliseconds; -1 where nothing limits the call.
    std::int64_t time_left_ms() const noexcept { return call_->time_left_ms(call_); }
    /// Names the step, the same each time it is done again; empty outside a step.
    std::string_view step_key() const noexcept { return view(call_->step_key); }
    /// {"project", "conversation", "run", "agent", "user"}.
    Value context() const { return Value::parse(view(call_->context)); }

    // Events. Each throws Failure when the host wants the call to end.
    void emit(std::uint32_t event, const Value& payload) const {
        emit_text(event, to_text(payload));
    }
    void emit_text(std::uint32_t event, std::string_view json) const {
        const auto status = call_->emit(call_, event, str(json));
        if (status != FOXWEDGE_OK) throw Failure(status);
    }
    void emit_answer(std::string_view delta) const {
        emit_text(FOXWEDGE_EVENT_TEXT, "{\"text\":" + quoted(delta) + '}');
    }
    void emit_reasoning(std::string_view delta) const {
        emit_text(FOXWEDGE_EVENT_REASONING, "{\"text\":" + quoted(delta) + '}');
    }
    void emit_progress(double done, double total, std::string_view message = {}) const {
        Value payload = object({{"progress", done}, {"total", total}});
        if (!message.empty()) payload.set("message", message);
        emit(FOXWEDGE_EVENT_PROGRESS, payload);
    }

    /// Throws Failure if the host wants the call to end: for loops that emit nothing.
    void check_cancelled() const {
        if (cancelled())
            throw Failure(FOXWEDGE_E_CANCELLED, "cancelled", "the host cancelled the call");
    }

    // What the base classes do with what a verb returned or threw.
    void result(const Value& value) const { result_text(to_text(value)); }
    void result_text(std::string_view json) const noexcept { call_->set_result(call_, str(json)); }
    foxwedge_status fail(foxwedge_status status, std::string_view code, std::string_view message,
                         std::string_view details = {}) const noexcept {
        call_->set_error(call_, str(code), str(message), str(details));
        return status;
    }
    foxwedge_status fail(const Failure& failure) const noexcept {
        if (failure.code.empty()) return failure.status;
        try {
            const auto details = failure.details.is_object() ? to_text(failure.details) : "";
            return fail(failure.status, failure.code, failure.message, details);
        } catch (...) { // no memory for the details
            return fail(failure.status, failure.code, failure.message);
        }
    }

private:
    const foxwedge_call* call_;
};

} // namespace foxwedge::plugin
