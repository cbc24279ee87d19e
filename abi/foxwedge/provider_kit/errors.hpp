// What a provider's refusal means: one code, one class (docs/providers, "Errors").
#pragma once
#include <ctime>
#include <string>
#include <string_view>

#include "../call.hpp"

#include "retry_after.hpp"

namespace provider_kit {

using foxwedge::plugin::Failure;
using foxwedge::plugin::Value;

/// What the adapter found in an error body, whatever the vendor's envelope.
struct Complaint {
    int status = 0;      ///< HTTP status; 0 for an error inside a stream
    std::string type;    ///< the vendor's word: "overloaded_error", "insufficient_quota", …
    std::string message; ///< the vendor's sentence
    std::int64_t retry_ms = -1; ///< a wait that the body asks for; -1: none
};

inline std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return out;
}
inline bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// At most 2 KiB of what the provider wrote, cut between characters: error bodies may repeat
/// whole requests.
inline std::string shortened(std::string_view text) {
    constexpr std::size_t most = 2048;
    if (text.size() <= most) return std::string(text);
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return std::string(text.substr(0, end)) + "…";
}

inline bool names_context_window(const Complaint& c) {
    const auto text = lower(c.type + " " + c.message);
    for (std::string_view sign :
         {"context_length_exceeded", "context length", "context window", "prompt is too long",
          "maximum context", "too many tokens", "input token count",
          "exceeds the maximum number of tokens", "reduce the length of the messages"})
        if (has(text, sign)) return true;
    return false;
}

/// The failure that ends the verb. Statuses: transient promises that nothing was done, unknown is
/// repeated all the same because a model call has no effect, invalid is for good.
inline Failure failure_of(const Complaint& c, const Value& headers = {}) {
    Value details = foxwedge::plugin::object();
    if (c.status != 0) details.set("httpStatus", c.status);
    if (const auto wait = retry_after_ms(headers, std::time(nullptr)))
        details.set("retryAfterMs", *wait);
    else if (c.retry_ms >= 0)
        details.set("retryAfterMs", c.retry_ms < longest_wait_ms ? c.retry_ms : longest_wait_ms);
    const auto message =
        shortened(c.message.empty() ? "the provider refused without a reason" : c.message);
    const auto fail = [&](foxwedge_status status, const char* code) {
        return Failure(status, code, message, details);
    };
    const auto type = lower(c.type);
    const auto says = [&](std::initializer_list<std::string_view> words) {
        for (auto word : words)
            if (has(type, word)) return true;
        return false;
    };
    // A model that broke its own call: a fresh sample may do better.
    if (says({"tool_use_failed"})) return fail(FOXWEDGE_E_TRANSIENT, "empty_response");
    if (c.status == 402 || says({"insufficient_quota", "billing"}))
        return fail(FOXWEDGE_E_INVALID, "unauthorized");
    if (c.status == 429 || says({"rate_limit", "resource_exhausted"}))
        return fail(FOXWEDGE_E_TRANSIENT, "rate_limited");
    if (c.status == 529 || c.status == 503 || says({"overloaded", "unavailable"}))
        return fail(FOXWEDGE_E_TRANSIENT, "overloaded");
    if (c.status == 401 || c.status == 403 ||
        says({"authentication", "permission", "unauthenticated", "invalid_api_key"}))
        return fail(FOXWEDGE_E_INVALID, "unauthorized");
    if (c.status == 408 || c.status == 504 || says({"deadline_exceeded", "timeout"}))
        return fail(FOXWEDGE_E_UNKNOWN, "timeout");
    if (c.status >= 500 || says({"api_error", "server_error", "internal"}))
        return fail(FOXWEDGE_E_UNKNOWN, "server_error");
    if (names_context_window(c)) return fail(FOXWEDGE_E_INVALID, "context_window_exceeded");
    return fail(FOXWEDGE_E_INVALID, "invalid_request");
}

/// A stream that ended without its terminal event, or an answer that is no JSON.
inline Failure cut_off(std::string message) {
    return Failure(FOXWEDGE_E_UNKNOWN, "connection_lost", std::move(message));
}

/// A complete answer with nothing in it: asking again is a fresh sample.
inline Failure empty_response() {
    return Failure(FOXWEDGE_E_TRANSIENT, "empty_response", "the model answered with nothing");
}

} // namespace provider_kit
