// Reading: the leader takes the bytes, deals out answers, and meets what strangers send.
#include "mcp/peer_notes.hpp"
#include "mcp/pending.hpp"

#include <cerrno>

#include <poll.h>
#include <unistd.h>

#include "base/text.hpp"

namespace foxwedge::mcp {

void StdioLink::pump(int timeout_ms, bool also_write) {
    pollfd watched[3] = {{child_->out(), POLLIN, 0},
                         {wake_, POLLIN, 0},
                         {also_write ? child_->in() : -1, POLLOUT, 0}};
    if (::poll(watched, also_write ? 3 : 2, timeout_ms) <= 0) return;
    if (watched[1].revents) {
        std::uint64_t count;
        (void)!::read(wake_, &count, sizeof count);
    }
    if (watched[2].revents) {
        std::lock_guard lock(mutex_);
        flush();
    }
    if (!watched[0].revents) return;
    const auto room = reader_.room();
    const ssize_t got = ::read(child_->out(), room.data, room.size);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got > 0) {
        reader_.filled(static_cast<std::size_t>(got));
        while (auto frame = reader_.next()) take_frame(*frame);
        return;
    }
    if (auto frame = reader_.rest()) take_frame(*frame);
    die("connection_lost", "", timeout_ms != 0);
}

void StdioLink::take_frame(const Frame& frame) {
    if (frame.too_large) return take_too_large(frame);
    if (setup_.tap) setup_.tap(false, frame.text);
    const auto text = trimmed(frame.text);
    if (text.empty()) return;
    if (text.front() != '{' && text.front() != '[') return take_noise(frame.text);
    const JsonLimits limits{setup_.limits.json_depth, setup_.limits.frame_bytes};
    auto parsed = parse_json(text, limits);
    bool repaired = false;
    if (!parsed && !is_utf8(text)) parsed = parse_json(to_utf8(text, &repaired), limits);
    if (!parsed) {
        IdSniffer sniffer;
        sniffer.feed(text);
        const auto literal = sniffer.id();
        const auto id = literal ? own_id_literal(*literal) : std::nullopt;
        if (!id) return take_noise(frame.text);
        std::lock_guard lock(mutex_);
        return fail_one_or_all(
            id, permanent("invalid_response",
                          "the server's answer is no valid JSON: " + parsed.error().message));
    }
    if (parsed->is_object()) return take_message(classify(std::move(*parsed)), repaired);
    // 2025-03-26 allows batches.
    if (!parsed->is_array() || parsed->get_array().empty() ||
        !parsed->get_array().front().is_object())
        return take_noise(frame.text);
    for (Json& each : parsed->get_array()) take_message(classify(std::move(each)), repaired);
}

void StdioLink::take_message(Message message, bool repaired) {
    std::lock_guard lock(mutex_);
    if (auto* malformed = std::get_if<Malformed>(&message)) {
        const auto id = own_id(malformed->id);
        setup_.log->debug("mcp", "malformed message",
                          {{"server", setup_.server}, {"reason", malformed->reason}});
        if (id)
            fail_one_or_all(id, permanent("invalid_response",
                                          "the server's answer is invalid: " + malformed->reason));
        return;
    }
    heard_ = true;
    if (auto* response = std::get_if<Response>(&message))
        take_response(std::move(*response), repaired);
    else if (auto* request = std::get_if<Request>(&message))
        take_request(std::move(*request));
    else
        take_notification(std::move(std::get<Notification>(message)));
}

void StdioLink::take_response(Response response, bool repaired) {
    if (response.id.is_null()) {
        // It can only be meant for the one request that is open.
        if (pending_.size() == 1)
            settle(*pending_.begin()->second,
                   unknown_outcome("uncorrelated_error",
                                   "the server answered with an error that names no request: " +
                                       response.error->message));
        return;
    }
    bool was_text = false;
    const auto id = own_id(response.id, &was_text);
    const auto found = id ? pending_.find(*id) : pending_.end();
    if (found == pending_.end()) {
        setup_.log->debug("mcp", "answer that nobody waits for", {{"server", setup_.server}});
        return;
    }
    if (was_text && !std::exchange(warned_text_ids_, true))
        setup_.log->warn("mcp", "the server answers with ids as text", {{"server", setup_.server}});
    settle(*found->second, Reply{std::move(response.error), std::move(response.result), repaired});
}

void StdioLink::settle(Pending& pending, Result<Reply> outcome) {
    if (pending.outcome) return;
    pending.outcome.emplace(std::move(outcome));
    take_back_all(pending.questions, pending.asking, over_);
    if (pending.waiting) pending.ready.notify_one();
}

void StdioLink::take_request(Request request) {
    if (request.method == "ping") {
        (void)send(result_line(request.id, JsonObject()));
        return;
    }
    if (request.method == "roots/list") {
        JsonArray roots;
        for (const auto& uri : setup_.roots) roots.push_back(JsonObject{{"uri", uri}});
        (void)send(result_line(request.id, {{"roots", std::move(roots)}}));
        return;
    }
    // Over stdio nothing says which call a question belongs to: the oldest that can answer.
    Pending* oldest = nullptr;
    for (auto& [id, pending] : pending_)
        if (pending->takes_requests && !pending->outcome && (!oldest || id < oldest->id))
            oldest = pending;
    if (!oldest) {
        (void)send(error_line(
            request.id,
            {rpc::method_not_found, "this client does not answer " + request.method, {}}));
        return;
    }
    oldest->questions.push_back(std::move(request));
    if (oldest->waiting) oldest->ready.notify_one();
}

void StdioLink::take_notification(Notification note) {
    if (note.method == "notifications/progress") {
        const Json* token = member(note.params, "progressToken");
        const auto number = token ? own_id(*token) : std::nullopt;
        for (auto& [id, pending] : pending_) {
            if (!number || pending->progress_token != *number || pending->outcome) continue;
            pending->quiet_end = std::chrono::steady_clock::now() + pending->quiet;
            // A flood of progress must not fill the memory of a slow listener.
            if (pending->progress.size() < 1000)
                pending->progress.push_back(std::move(note.params));
            if (pending->waiting) pending->ready.notify_one();
            return;
        }
        return;
    }
    note_in_log(note, setup_.server, *setup_.log, setup_.masker);
    if (const Json* id = member(note.params, "requestId");
        id && note.method == "notifications/cancelled")
        for (auto& [unused, pending] : pending_)
            take_back(*id, pending->questions, pending->asking, over_);
}

void StdioLink::take_too_large(const Frame& frame) {
    std::lock_guard lock(mutex_);
    setup_.log->warn("mcp", "a message was too large", {{"server", setup_.server}});
    fail_one_or_all(frame.id ? own_id_literal(*frame.id) : std::nullopt,
                    permanent("message_too_large",
                              "the server \"" + setup_.server + "\" sent a message of more than " +
                                  std::to_string(setup_.limits.frame_bytes) + " bytes"));
}

void StdioLink::fail_one_or_all(std::optional<std::int64_t> id, const Error& error) {
    if (id) {
        if (const auto found = pending_.find(*id); found != pending_.end())
            settle(*found->second, error);
        return;
    }
    for (auto& [unused, pending] : pending_) settle(*pending, error);
}

void StdioLink::take_noise(std::string_view line) {
    {
        std::lock_guard lock(mutex_);
        if (++noise_ == 1) {
            std::string shown = to_utf8(line.substr(0, 200));
            if (setup_.masker) shown = setup_.masker->masked(shown);
            setup_.log->warn("mcp",
                             "text on stdout that is no message; more will be dropped silently",
                             {{"server", setup_.server}, {"text", shown}});
        }
        if (heard_ || noise_ < setup_.limits.noise_lines) return;
    }
    die("stdout_noise",
        "it wrote " + std::to_string(setup_.limits.noise_lines) + " lines to stdout and no message",
        false);
}

void StdioLink::die(std::string code, std::string why, bool may_wait) {
    // Its exit is reported a moment after its output ends; a call may wait that long to name it.
    // The watching thread may not: it is the one that hears the report.
    if (why.empty() && may_wait)
        (void)child_->ended_within(Until{}.within(std::chrono::milliseconds(500)));
    {
        std::lock_guard lock(mutex_);
        if (!std::exchange(dead_, true) || death_code_.empty()) {
            death_code_ = std::move(code);
            death_ = std::move(why);
        }
        for (auto& [id, pending] : pending_) settle(*pending, lost(Certainty::unknown));
        backlog_.clear();
    }
    loop_.unwatch(child_->out());
    child_->stop();
}

std::string StdioLink::cause_of_death() const {
    if (!death_.empty()) return death_;
    const auto exit = child_->ended();
    return exit ? "the command " + process::to_text(*exit) : "it closed its pipes";
}

Error StdioLink::lost(Certainty certainty) const {
    std::string tail = to_utf8(child_->stderr_tail());
    if (tail.size() > setup_.limits.stderr_shown)
        tail = to_utf8(tail.substr(tail.size() - setup_.limits.stderr_shown));
    if (setup_.masker) tail = setup_.masker->masked(tail);
    tail = trimmed(tail);
    Error error{death_code_.empty() ? "connection_lost" : death_code_,
                "the MCP server \"" + setup_.server + "\" is gone: " + cause_of_death(),
                certainty,
                {},
                {}};
    if (!tail.empty()) error.message += "; its stderr ends: " + tail;
    JsonObject details{{"server", setup_.server}, {"stderr", tail}};
    if (const auto exit = child_->ended()) {
        if (exit->kind == process::Exit::Kind::exited) details["exitCode"] = exit->value;
        if (exit->kind == process::Exit::Kind::signaled) details["signal"] = exit->value;
        if (exit->kind == process::Exit::Kind::not_started) details["errno"] = exit->value;
    }
    error.details = to_text(Json(std::move(details)));
    return error;
}

} // namespace foxwedge::mcp
