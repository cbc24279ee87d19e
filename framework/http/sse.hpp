// Server-sent events (WHATWG HTML, 9.2.6): a pure reader fed with bytes cut anywhere, and the
// writer's half.
#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace foxwedge::http {

struct SseEvent {
    std::string type = "message"; ///< the `event` field
    std::string data;             ///< the `data` lines joined by line feeds; may be empty
    /// The last event id seen so far on this stream, this event's included.
    std::string last_id;
    bool repaired = false; ///< bytes of the data that were no UTF-8 became U+FFFD
};

/// Frames bytes into events. Bytes become lines first and text afterwards, so a character cut in
/// two is whole again. Not synchronised.
class SseReader {
public:
    struct Limits {
        std::size_t event_bytes = 32 * 1024 * 1024; ///< data of one event, and one line
    };
    SseReader() = default;
    explicit SseReader(Limits limits) : limits_(limits) {}

    /// Gives each event that `bytes` completes to `take`, in order; comments and blocks without
    /// data are no events. Stops with `take`'s error, or with `event_too_large`.
    Status feed(std::string_view bytes, const std::function<Status(SseEvent)>& take);

    /// The id to resume with (Last-Event-ID). An event with an id and no data moves it too, and it
    /// lasts over reconnects: see `reconnected`.
    const std::string& last_id() const { return last_id_; }
    /// The server's own reconnection time, if it named one.
    std::optional<std::chrono::milliseconds> retry() const { return retry_; }
    /// True while an event is begun but not ended: the stream was cut in the middle of one.
    bool inside_event() const { return !line_.empty() || has_data_ || !type_.empty(); }
    /// A new stream takes over: drops what was begun, keeps the id and the time.
    void reconnected();

private:
    Status line(std::string_view, const std::function<Status(SseEvent)>&);
    void field(std::string_view name, std::string_view value);
    Status dispatch(const std::function<Status(SseEvent)>&);

    Limits limits_;
    std::string line_;
    std::string data_;
    std::string type_;
    std::string pending_id_;
    std::string last_id_;
    std::optional<std::chrono::milliseconds> retry_;
    std::size_t bom_seen_ = 0; // bytes of the byte order mark matched at the start; 3: past it
    bool has_data_ = false;
    bool after_cr_ = false;
};

/// One event as it is written: `id` and `type` are left out where empty.
std::string to_sse_text(std::string_view type, std::string_view data, std::string_view id = {});

} // namespace foxwedge::http
