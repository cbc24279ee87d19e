// One model call over the host's HTTP: sent, its stream read, its refusals understood.
#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "../host.hpp"

#include "errors.hpp"
#include "sse.hpp"

namespace provider_kit {

using foxwedge::plugin::Call;
using foxwedge::plugin::Http;

/// Where a preview of the answer goes while it arrives: event number and payload.
using Emit = std::function<void(std::uint32_t event, const Value& payload)>;
inline Emit to_call(const Call& call) {
    return [&call](std::uint32_t event, const Value& payload) { call.emit(event, payload); };
}

/// Reads one wire format. Pure: events or a whole body in, the neutral answer out. One answer each.
class Decoder {
public:
    virtual ~Decoder() = default;
    /// One event of a stream. True if it carried content: a stream that only says that it is
    /// alive is stalled.
    virtual bool event(std::string_view type, std::string_view data) = 0;
    /// A response that was not streamed.
    virtual void whole(const Value& body) = 0;
    /// True once the terminal event was seen: without it there is no answer.
    virtual bool ended() const = 0;
    virtual Value result() = 0;
    /// The vendor's words in an error body; here {"error": a text or {"type", "message"}}.
    virtual Complaint complaint(const Value& body) const {
        const Value& error = body["error"];
        const auto words = error.is_string() ? error.string() : error.string("message");
        return {0, std::string(error.string("type")), std::string(words)};
    }
};

/// Notices a stream that sends keep-alives and nothing else. Pure: time comes in.
class StallWatch {
public:
    using Time = std::chrono::steady_clock::time_point;
    StallWatch(std::chrono::milliseconds limit, Time now) : limit_(limit), last_(now) {}
    void saw_content(Time now) { last_ = now; }
    bool stalled(Time now) const { return limit_.count() > 0 && now - last_ >= limit_; }

private:
    std::chrono::milliseconds limit_;
    Time last_;
};

/// What an adapter says of itself that knows texts and nothing else.
inline Value text_traits() {
    return foxwedge::plugin::object({{"nativeTranscript", false},
                                     {"tools", false},
                                     {"structuredOutput", "none"},
                                     {"streaming", true},
                                     {"parallelCalls", false},
                                     {"reasoningReplay", false}});
}
/// A whole answer of one text.
inline Value text_answer(std::string_view text, const Value& usage, const Value& model) {
    using foxwedge::plugin::array;
    using foxwedge::plugin::object;
    if (text.empty()) throw empty_response();
    return object({{"content", array({object({{"type", "text"}, {"text", text}})})},
                   {"stop", "end"},
                   {"usage", usage},
                   {"model", model}});
}

inline Value parse_answer(std::string_view text) {
    try {
        return Value::parse(text);
    } catch (const foxwedge::plugin::JsonError& e) {
        throw cut_off(std::string("the provider sent broken JSON: ") + e.what());
    }
}

/// Reads a response head and body into a decoder. Pure.
class ResponseReader {
public:
    using Time = StallWatch::Time;
    ResponseReader(Decoder& decoder, std::chrono::milliseconds stall_limit, StallWatch::Time now)
        : decoder_(decoder), watch_(stall_limit, now) {}

    void head(const Value& head) {
        status_ = static_cast<int>(head.integer("status", 0));
        headers_ = head["headers"];
        const auto type = lower(headers_.string("content-type"));
        streamed_ = status_ < 300 && has(type, "text/event-stream");
    }
    void chunk(std::string_view bytes, StallWatch::Time now) {
        if (!streamed_) {
            constexpr std::size_t most = 64 * 1024 * 1024;
            if (body_.size() + bytes.size() > most)
                throw cut_off("the provider's answer is over 64 MiB");
            body_ += bytes;
            return;
        }
        sse_.feed(bytes, [&](std::string_view event, const std::string& data) {
            if (decoder_.event(event, data)) watch_.saw_content(now);
        });
        if (watch_.stalled(now) && !decoder_.ended())
            throw Failure(FOXWEDGE_E_UNKNOWN, "timeout",
                          "the provider keeps the stream open but sends no content");
    }
    /// The body is complete: the answer, or the Failure that it means.
    Value finish() {
        if (status_ >= 300 || status_ < 200) throw refusal();
        if (!streamed_) {
            decoder_.whole(parse_answer(body_));
        } else {
            sse_.finish([&](std::string_view event, const std::string& data) {
                decoder_.event(event, data);
            });
            if (!decoder_.ended())
                throw cut_off("the provider closed the stream before the end of the answer");
        }
        return decoder_.result();
    }
    bool ended() const { return streamed_ && decoder_.ended(); }

private:
    Failure refusal() const {
        Complaint complaint;
        try {
            complaint = decoder_.complaint(Value::parse(body_));
        } catch (const foxwedge::plugin::JsonError&) {
            complaint.message = body_; // a proxy's page
        }
        complaint.status = status_;
        if (complaint.message.empty()) complaint.message = "HTTP status " + std::to_string(status_);
        return failure_of(complaint, headers_);
    }

    Decoder& decoder_;
    StallWatch watch_;
    SseReader sse_;
    int status_ = 0;
    Value headers_;
    bool streamed_ = false;
    std::string body_;
};

/// Sends `request` (services.h, http) and decodes what comes back; throws Failure.
inline Value exchange(const Http& http, const Call& call, const Value& request, Decoder& decoder,
                      std::chrono::milliseconds stall_limit) {
    const auto now = [] { return std::chrono::steady_clock::now(); };
    ResponseReader reader(decoder, stall_limit, now());
    const auto reply = http.send(
        call, request, [&](const Value& head) { reader.head(head); },
        [&](std::string_view bytes) { reader.chunk(bytes, now()); });
    // What was seen to the end is an answer, even if the connection then breaks.
    if (!reply.ok() && !reader.ended()) throw Failure(reply.status);
    return reader.finish();
}

} // namespace provider_kit
