// One connection to an MCP server, whatever carries it.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/stop.hpp"
#include "mcp/message.hpp"

namespace foxwedge::mcp {

enum class Era : unsigned char {
    handshake, ///< `initialize`: 2024-11-05 to 2025-11-25
    modern     ///< stateless, `server/discover`: 2026-07-28
};

/// Answers what a server asks in the middle of a call (sampling, elicitation, roots). Called on the
/// thread that waits for the call. May take its time within `until`, which is stopped when the
/// question is taken back: the server has cancelled it, answered the call without it, or died.
class ServerRequests {
public:
    virtual ~ServerRequests() = default;
    virtual std::variant<Json, RpcError> answer(std::string_view method, const Json& params,
                                                const Until& until) = 0;
};

struct RequestOptions {
    Until until;             ///< the hard end
    Millis quiet{60'000};    ///< how long the server may be silent; progress begins it anew
    bool cancellable = true; ///< tell the server when we give up
    /// Over HTTP: what the request is about (a tool's name, a resource's URI; goes into Mcp-Name),
    /// and further header fields. Ignored elsewhere.
    std::string subject;
    std::vector<std::pair<std::string, std::string>> fields;
    std::int64_t progress_token = 0; ///< as the params' `_meta` has it; 0: none
    /// Called with the params of notifications/progress, on the thread that waits.
    std::function<void(const Json& params)> on_progress;
    ServerRequests* server_requests = nullptr;
};

/// The server's answer, good or bad.
struct Reply {
    std::optional<RpcError> error;
    Json result;
    bool repaired_utf8 = false; ///< bytes that were no UTF-8 became U+FFFD
};

/// Any thread; requests overlap.
class Connection {
public:
    virtual ~Connection() = default;
    /// Sends a request and waits for its answer. An Error means that there is none:
    /// `connection_lost` (not_done if nothing was sent, else unknown), `timeout`, `cancelled`
    /// (unknown), `message_too_large`, `invalid_response` (permanent), `uncorrelated_error`
    /// (unknown).
    virtual Result<Reply> request(std::string_view method, std::string_view params_json,
                                  const RequestOptions&) = 0;
    virtual void notify(std::string_view method, std::string_view params_json) = 0;
    /// What was agreed in the first exchange, before any other request.
    virtual void agreed(Era, std::string_view /*version*/) {}
    /// Since 2026-07-28: lets the server tell of changes as long as the connection stands. Nobody
    /// waits for an answer; a server that refuses tells of none.
    virtual void listen(std::string params_json) = 0;
    /// False once no request can succeed any more.
    virtual bool alive() const = 0;
    /// Starts to close; open requests end as lost.
    virtual void close() = 0;
};

} // namespace foxwedge::mcp
