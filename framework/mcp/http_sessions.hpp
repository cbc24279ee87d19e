// The sessions of handshake clients over HTTP, and their streams. Private to this layer.
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "mcp/http_outlet.hpp"
#include "mcp/limits.hpp"

namespace foxwedge::mcp {

/// One client since its handshake. Any thread.
class HttpSession {
public:
    HttpSession(Service& service, const Seal& seal, std::string id, std::string user);

    /// An outlet for `answers` answers; its stream can be resumed.
    std::shared_ptr<HttpOutlet> outlet(std::shared_ptr<http::Responder>, int answers);
    /// The stream for what belongs to no request, in place of the one before.
    std::shared_ptr<HttpOutlet> announcements(std::shared_ptr<http::Responder>);
    /// The stream that the event `last_id` came over, and that event's number; null: not known.
    std::shared_ptr<HttpOutlet> stream_of(std::string_view last_id, std::size_t& number) const;
    void keep_alive();
    /// True while a client is at the other end of a stream.
    bool attended() const;

    const std::string id, user;
    const std::shared_ptr<ServerSession> session;

private:
    bool primes() const { return session->version() == "2025-11-25"; }
    std::shared_ptr<HttpOutlet> keep(int number, std::shared_ptr<HttpOutlet>);

    mutable std::mutex mutex_;
    int next_stream_ = 1;
    std::map<int, std::shared_ptr<HttpOutlet>> streams_; ///< open ones, and the last that ended
};

/// Any thread.
class HttpSessions {
public:
    HttpSessions(std::size_t most, Millis idle) : most_(most), idle_(idle) {}
    std::shared_ptr<HttpSession> open(Service&, const Seal&, std::string user);
    /// Null: unknown, ended, or somebody else's.
    std::shared_ptr<HttpSession> find(std::string_view id, std::string_view user);
    bool close(std::string_view id, std::string_view user);
    /// Ends what nobody has used for long, and keeps the streams of the others alive.
    void tend();
    void close_all();

private:
    using Clock = std::chrono::steady_clock;
    struct Kept {
        std::shared_ptr<HttpSession> session;
        Clock::time_point used;
    };
    const std::size_t most_;
    const Millis idle_;
    std::mutex mutex_;
    std::map<std::string, Kept, std::less<>> sessions_;
};

} // namespace foxwedge::mcp
