// A Service over Streamable HTTP: sessions for clients that shake hands, single requests for those
// of 2026-07-28, on one endpoint.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "http/server.hpp"
#include "mcp/http_door.hpp"
#include "mcp/limits.hpp"
#include "mcp/service.hpp"

namespace foxwedge::mcp {

struct HttpServing {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0; ///< 0: a free one
    std::string path = "/mcp";
    /// Names by which clients may call us, besides the loopback ones and `address`.
    std::vector<std::string> hosts;
    std::vector<BearerToken> tokens; ///< empty: no token is asked for
    Limits limits;
    http::ServerLimits http;
    std::size_t sessions = 1000;      ///< of handshake clients; the longest unused one makes room
    Millis session_idle{30 * 60'000}; ///< then an unused one ends
    Millis keep_alive{15'000};        ///< between signs of life on an idle stream
    std::string seal_key;             ///< of state that clients keep; "": one of this process
    Log* log = &silent_log();
};

/// Serves until destroyed; then calls under way are cancelled and waited for.
class HttpService {
public:
    virtual ~HttpService() = default;
    virtual std::uint16_t port() const = 0;
    /// "http://127.0.0.1:PORT/mcp"
    virtual std::string url() const = 0;
};

/// `service` outlives it. Error `cannot_listen`.
Result<std::unique_ptr<HttpService>> serve_http(Service& service, HttpServing serving);

} // namespace foxwedge::mcp
