#include "mcp/http_link.hpp"

#include <algorithm>
#include <condition_variable>

#include "base/text.hpp"
#include "http/url.hpp"
#include "mcp/header_params.hpp"
#include "mcp/http_asked.hpp"
#include "mcp/negotiation.hpp"

namespace foxwedge::mcp {
namespace {

/// The longest that an answer, a goodbye or a cancellation may take: nobody waits for its result.
constexpr Millis aside{1000};

/// A header text of the config; one that ends in a secret lets the client judge where it may go.
http::RequestField field_of(const std::string& name, const std::string& text) {
    constexpr std::string_view mark = "${secret:";
    const auto from = text.find(mark);
    if (from == text.npos || text.back() != '}' || text.find(mark, from + 1) != text.npos)
        return {name, text, ""};
    return {name, text.substr(0, from),
            text.substr(from + mark.size(), text.size() - from - mark.size() - 1)};
}

std::string without_line_end(std::string line) {
    line.pop_back();
    return line;
}

} // namespace

HttpLink::HttpLink(const ServerSpec& spec, HttpSetup setup)
    : spec_(spec), setup_(std::move(setup)) {
    if (auto origin = http::origin_of(spec_.url)) origin_ = *origin;
}

void HttpLink::agreed(Era era, std::string_view version) {
    std::lock_guard lock(mutex_);
    era_ = era;
    version_ = version;
}

Result<http::Request> HttpLink::make_request(std::string_view verb, const Until&) const {
    http::Request request;
    request.method = verb;
    request.url = spec_.url;
    for (const auto& [name, text] : spec_.headers) {
        auto field = field_of(name, text);
        if (field.secret.empty() && spec_.resolve) {
            FOXWEDGE_TRY(filled, spec_.resolve(field.value));
            field.value = filled;
        }
        request.fields.push_back(std::move(field));
    }
    if (spec_.more_headers) {
        FOXWEDGE_TRY(more, spec_.more_headers());
        for (auto& [name, value] : more) request.fields.push_back({name, value, ""});
    }
    if (verb == "POST") request.fields.push_back({"Content-Type", "application/json", ""});
    request.fields.push_back(
        {"Accept", verb == "GET" ? "text/event-stream" : "application/json, text/event-stream",
         ""});
    std::lock_guard lock(mutex_);
    if (!version_.empty()) request.fields.push_back({"MCP-Protocol-Version", version_, ""});
    if (!session_.empty()) request.fields.push_back({"Mcp-Session-Id", session_, ""});
    return request;
}

Result<Reply> HttpLink::request(std::string_view method, std::string_view params_json,
                                const RequestOptions& options) {
    if (dead_) return lost(Certainty::not_done, "its session has ended");
    bool in_handshake = false;
    {
        std::lock_guard lock(mutex_);
        in_handshake = era_ == Era::handshake && !version_.empty();
    }
    return in_handshake && options.server_requests ? ask_with_errands(method, params_json, options)
                                                   : ask(method, params_json, options, nullptr);
}

Result<Reply> HttpLink::ask(std::string_view method, std::string_view params_json,
                            const RequestOptions& options, Errands* errands) {
    Asked asked{options, next_id_++, method, errands};
    FOXWEDGE_TRY(request, make_request("POST", options.until));
    const bool probe = method == "server/discover";
    if (probe) request.fields.push_back({"MCP-Protocol-Version", std::string(modern_version), ""});
    {
        std::lock_guard lock(mutex_);
        asked.modern = probe || (era_ == Era::modern && !version_.empty());
        asked.in_session = !session_.empty();
    }
    if (asked.modern) {
        request.fields.push_back({"Mcp-Method", std::string(method), ""});
        if (!options.subject.empty())
            request.fields.push_back({"Mcp-Name", header_value(options.subject), ""});
        for (const auto& [name, value] : options.fields)
            request.fields.push_back({name, value, ""});
    }
    request.body = without_line_end(request_line(asked.id, method, params_json));
    auto sent = exchange(std::move(request), asked);
    // A stream that broke, or was closed on purpose, goes on where it was.
    while (!asked.reply && asked.resumable() && !options.until.stopped()) sent = resume(asked);
    return outcome(asked, sent);
}

Status HttpLink::exchange(http::Request request, Asked& asked) {
    if (setup_.tap && !request.body.empty()) setup_.tap(true, request.body);
    request.idle_timeout = asked.options.quiet;
    http::Caller caller;
    caller.grant.origins = {origin_};
    caller.secrets = [this](std::string_view name, std::string_view) -> Result<std::string> {
        if (spec_.resolve) return spec_.resolve("${secret:" + std::string(name) + "}");
        return permanent("unknown_secret", "there is no secret \"" + std::string(name) + "\"");
    };
    http::Receiver receiver;
    receiver.head = [&](const http::ResponseHead& head) -> Status {
        asked.begin(head);
        if (asked.method == "listen") listens();
        const auto session = head.headers.first("Mcp-Session-Id");
        if (session && asked.method == "initialize") {
            std::lock_guard lock(mutex_);
            session_ = *session;
        }
        return {};
    };
    receiver.chunk = [&](std::string_view bytes) -> Status {
        if (asked.errands) {
            std::lock_guard lock(mutex_);
            asked.errands->heard = std::chrono::steady_clock::now();
        }
        if (asked.streams)
            return asked.events.feed(
                bytes, [&](const http::SseEvent& event) { return take_event(asked, event); });
        if (asked.body.size() + bytes.size() > setup_.limits.frame_bytes)
            return permanent("message_too_large", "the server's answer is too large");
        asked.body.append(bytes);
        return {};
    };
    return setup_.client->send(request, caller, receiver, asked.options.until);
}

/// Whoever gives up ends the sleep.
void HttpLink::wait_for(Millis time, const Until& until) {
    std::mutex mutex;
    std::condition_variable_any quiet;
    std::unique_lock lock(mutex);
    const Until pause = until.within(time);
    quiet.wait_until(lock, pause.stop, *pause.deadline, [] { return false; });
}

Status HttpLink::resume(Asked& asked) {
    wait_for(asked.pause(), asked.options.until);
    if (asked.options.until.stopped())
        return unknown_outcome("cancelled", "the call was cancelled");
    if (asked.options.until.overdue()) return unknown_outcome("timeout", "the call took too long");
    ++asked.reconnects;
    FOXWEDGE_TRY(request, make_request("GET", asked.options.until));
    request.fields.push_back({"Last-Event-ID", asked.events.last_id(), ""});
    asked.events.reconnected();
    return exchange(std::move(request), asked);
}

Error HttpLink::lost(Certainty certainty, std::string why) const {
    return {"connection_lost", "the MCP server \"" + spec_.name + "\": " + why, certainty, {}, {}};
}

Result<Reply> HttpLink::outcome(Asked& asked, const Status& sent) {
    if (asked.reply) return std::move(*asked.reply);
    if (asked.failure) return *asked.failure;
    Status status = sent;
    if (!status) return gave_up(asked, status.error());
    if (asked.status == 404 && asked.in_session) {
        dead_ = true; // It proves that the request was not taken: another session may ask again.
        return lost(Certainty::not_done, "it has forgotten the session");
    }
    if (setup_.tap && !asked.body.empty()) setup_.tap(false, asked.body);
    if (asked.status >= 400) return refused(asked);
    if (asked.streams) return lost(Certainty::unknown, "its answer ended before it was whole");
    bool repaired = false;
    const JsonLimits limits{setup_.limits.json_depth, setup_.limits.frame_bytes};
    auto parsed = parse_json(asked.body, limits);
    if (!parsed && !is_utf8(asked.body))
        parsed = parse_json(to_utf8(asked.body, &repaired), limits);
    if (parsed && parsed->is_array())
        for (Json& each : parsed->get_array()) (void)take_message(asked, std::move(each), repaired);
    else if (parsed)
        (void)take_message(asked, std::move(*parsed), repaired);
    if (asked.reply) return std::move(*asked.reply);
    if (asked.failure) return *asked.failure;
    return permanent("invalid_response", "the MCP server \"" + spec_.name + "\" answered " +
                                             std::to_string(asked.status) +
                                             " without an answer to the request" +
                                             (parsed ? "" : ": " + parsed.error().message));
}

Result<Reply> HttpLink::refused(Asked& asked) {
    if (const auto parsed = parse_json(asked.body)) {
        auto message = classify(*parsed);
        // The exchange itself says which request is meant, whatever the id.
        if (auto* response = std::get_if<Response>(&message); response && response->error)
            return Reply{std::move(response->error), {}, false};
    }
    const std::string what = "the MCP server \"" + spec_.name + "\" answered with HTTP status " +
                             std::to_string(asked.status);
    if (asked.status == 401) return permanent("auth_required", what + ": it wants credentials");
    if (asked.status == 403) return permanent("forbidden", what);
    if (asked.status == 429 || asked.status == 503)
        return not_done("rate_limited", what, std::min(asked.retry_after, Millis(300'000)));
    if (asked.status >= 500) return unknown_outcome("http_error", what);
    // An old server's way of not knowing the question.
    if (asked.method == "server/discover")
        return Reply{RpcError{rpc::method_not_found, what, nullptr}, {}, false};
    return permanent("http_error", what);
}

Error HttpLink::gave_up(const Asked& asked, const Error& error) {
    const bool stopped = asked.options.until.stopped();
    const bool ended_by_us = stopped || error.code == "timeout" || error.code == "cancelled";
    // 2026-07-28: closing the stream is the cancellation; before, it has to be said.
    if (ended_by_us && !asked.modern && asked.options.cancellable && asked.method != "initialize")
        post(notification_line("notifications/cancelled",
                               R"({"requestId":)" + std::to_string(asked.id) + "}"),
             Until{}.within(aside));
    Error mapped = error;
    if (mapped.code == "connect_failed" || mapped.code == "tls_failed")
        mapped.code = "connect_failed";
    else if (mapped.code != "timeout" && mapped.code != "cancelled" &&
             mapped.certainty == Certainty::unknown)
        mapped.code = "connection_lost";
    mapped.message = "the MCP server \"" + spec_.name + "\": " + error.message;
    return mapped;
}

void HttpLink::notify(std::string_view method, std::string_view params_json) {
    post(notification_line(method, params_json), Until{}.within(spec_.start_timeout));
    // Who may be asked listens for what is asked outside of any call's stream.
    const bool may_be_asked =
        spec_.capabilities.contains("elicitation") || spec_.capabilities.contains("sampling");
    if (method != "notifications/initialized" || !may_be_asked) return;
    {
        std::lock_guard lock(mutex_);
        settled_ = false;
    }
    listener_ = std::jthread([this](std::stop_token stop) { hear_questions(std::move(stop)); });
}

void HttpLink::listen(std::string params_json) {
    listener_ = std::jthread([this, params = std::move(params_json)](std::stop_token stop) {
        hear_changes(params, std::move(stop));
    });
}

void HttpLink::post(std::string line, const Until& until) {
    RequestOptions options;
    options.until = until;
    Asked asked{options, 0, "notification"};
    auto request = make_request("POST", until);
    if (!request) return;
    request->body = without_line_end(std::move(line));
    if (const auto status = exchange(std::move(*request), asked); !status)
        setup_.log->debug("mcp", "a message was not taken",
                          {{"server", spec_.name}, {"reason", status.error().message}});
}

void HttpLink::close() {
    if (dead_.exchange(true)) return;
    listener_.request_stop();
    {
        std::lock_guard lock(mutex_);
        if (session_.empty()) return;
    }
    RequestOptions options;
    options.until = Until{}.within(aside);
    Asked asked{options, 0, "close"};
    // Any answer will do: 405 says that the server ends sessions by itself.
    if (auto request = make_request("DELETE", options.until))
        (void)exchange(std::move(*request), asked);
}

} // namespace foxwedge::mcp
