// A small HTTP/1.1 server: MCP over HTTP, the daemon's API, and the local services of tests.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "http/headers.hpp"

namespace foxwedge::http {

struct ServerRequest {
    std::string method;
    std::string target; ///< as sent: path and query
    Headers headers;
    std::string body;
    std::string peer; ///< the client's address

    std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
};

/// The way to answer one request. Any thread, one at a time; may be kept after the handler
/// returned. Letting go of the last copy ends the response: 500 if nothing was sent yet.
class Responder {
public:
    virtual ~Responder() = default;
    /// The whole response. At most once, and not after `start`.
    virtual Status respond(int status, Headers, std::string body) = 0;
    /// Opens a streamed response; its length is not known yet.
    virtual Status start(int status, Headers) = 0;
    /// Queues body bytes; blocks while the client is slower than `ServerLimits::queue_bytes`.
    /// Fails with `client_gone` when the client hung up or did not read in time.
    virtual Status write(std::string_view bytes) = 0;
    /// Ends a streamed response properly.
    virtual void finish() = 0;
    /// Cuts the connection in the middle of the response.
    virtual void abort() = 0;
    /// True once the client hung up.
    virtual bool gone() const = 0;
    /// Calls `then` once the client hung up, from the server's thread; at once if it has.
    virtual void on_gone(std::function<void()> then) = 0;
};

/// Called on a thread of its own per request; may block.
using Handler = std::function<void(ServerRequest, std::shared_ptr<Responder>)>;

struct ServerLimits {
    std::size_t header_bytes = 64 * 1024;
    std::size_t body_bytes = 32 * 1024 * 1024;
    std::size_t queue_bytes = 1024 * 1024; ///< per response, before `write` blocks
    std::size_t connections = 256;         ///< above it new ones are answered 503 and closed
    Millis request_timeout{10000};         ///< from the first byte of a request to its last
    Millis idle_timeout{60000};            ///< between requests of one connection
    Millis write_timeout{30000};           ///< for a client to read what is queued
};

/// Runs until destroyed; then connections are cut and handlers waited for.
class Server {
public:
    virtual ~Server() = default;
    virtual std::uint16_t port() const = 0;
    /// "http://127.0.0.1:PORT"
    virtual std::string origin() const = 0;
};

/// Listens on `address` (an IP address), port 0: a free one. Error `cannot_listen`.
Result<std::unique_ptr<Server>> make_server(const std::string& address, std::uint16_t port, Handler,
                                            ServerLimits = {});

} // namespace foxwedge::http
