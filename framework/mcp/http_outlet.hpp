// What goes back to a client over HTTP: one JSON answer, or a stream of events that may be left and
// found again. Private to this layer.
#pragma once
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "http/server.hpp"
#include "mcp/server_session.hpp"

namespace foxwedge::mcp {

/// Answers with JSON as long as the answer is all there is; opens a stream with the first message
/// before it. Any thread.
class HttpOutlet final : public Outlet {
public:
    struct Traits {
        std::string id;      ///< of the stream, where its events are kept for a client that returns
        bool primed = false; ///< a stream begins with an empty event, so that it can be resumed
        bool status = false; ///< errors have a status of their own (2026-07-28)
        int answers = 1;     ///< after which the response ends; 0: it never does
        std::size_t kept_bytes = 4 * 1024 * 1024;
    };
    HttpOutlet(Traits traits, std::shared_ptr<http::Responder> responder)
        : traits_(std::move(traits)), responder_(std::move(responder)) {}

    void send(std::string_view message, bool last) override;
    void refuse(std::string_view message, std::int64_t code) override;
    void hang_up(Millis retry) override;

    /// Opens the stream at once, as a client expects of a GET.
    void open();
    /// Goes on over another response, after the event with that number. Events that are no longer
    /// kept are lost.
    void resume(std::shared_ptr<http::Responder>, std::size_t after);
    /// Keeps an idle stream from being cut by what lies between; called the second time for an
    /// answer that has not begun, begins it as a stream.
    void keep_alive();
    /// Ends the response properly, whatever is missing.
    void finish();
    bool done() const;
    bool attended() const;

private:
    void answer(std::string_view message, int status);
    void event(std::string_view data, bool last);
    void start();
    void begin();
    void write(std::string_view text);
    std::string next_id();

    const Traits traits_;
    mutable std::mutex mutex_;
    std::shared_ptr<http::Responder> responder_; ///< null while no client is there
    bool streams_ = false, done_ = false;
    bool waited_ = false; ///< the answer has not begun since the last sign of life
    int answered_ = 0;
    std::deque<std::string> events_;
    std::size_t first_ = 1, bytes_ = 0; ///< number of events_.front(), size of all
};

} // namespace foxwedge::mcp
