// One request over HTTP and what has come of it so far. Private to this layer.
#pragma once
#include <algorithm>
#include <charconv>

#include "mcp/http_errands.hpp"

namespace foxwedge::mcp {

struct HttpLink::Asked {
    const RequestOptions& options;
    std::int64_t id;
    std::string_view method;
    Errands* errands = nullptr; ///< takes what the caller has to do
    bool modern = false, in_session = false;

    int status = 0;
    bool streams = false; ///< the answer comes as events
    Millis retry_after{0};
    std::string body;
    http::SseReader events;
    int reconnects = 0; ///< without anything new
    std::optional<Reply> reply;
    std::optional<Error> failure; ///< an answer to this request that cannot be read

    void begin(const http::ResponseHead& head) {
        status = head.status;
        streams =
            status < 300 && http::media_type(head.headers.first("Content-Type").value_or("")) ==
                                "text/event-stream";
        body.clear();
        if (const auto seconds = head.headers.first("Retry-After")) {
            int number = 0;
            std::from_chars(seconds->data(), seconds->data() + seconds->size(), number);
            retry_after = Millis(1000) * std::clamp(number, 0, 3600);
        }
    }
    /// Handshake era: a stream that named an event can be asked for the rest.
    bool resumable() const {
        return streams && !modern && !failure && !events.last_id().empty() && reconnects < 10;
    }
    Millis pause() const {
        return std::clamp<Millis>(events.retry().value_or(Millis(1000)), Millis(100),
                                  Millis(30'000));
    }
};

} // namespace foxwedge::mcp
