// A client of one MCP server: starts it at first use, agrees on a revision, lists and calls tools.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/stop.hpp"
#include "contracts/tool.hpp"
#include "mcp/header_params.hpp"
#include "mcp/negotiation.hpp"
#include "mcp/opener.hpp"

namespace foxwedge::mcp {

struct CallOptions {
    Until until;
    std::string idempotency_key; ///< sent in `_meta` as foxwedge/idempotencyKey; "" for none
    /// Params of notifications/progress; on the calling thread.
    std::function<void(const Json& params)> on_progress;
    /// Answers what the server asks meanwhile; null: it is told that we do not.
    ServerRequests* server_requests = nullptr;
    /// Instead of the spec's; 0: the spec's.
    Millis quiet{0};
    /// Of a call that was answered by `input_required` (2026-07-28): the answers, by the server's
    /// keys, and its `requestState` unchanged. Null: a first call.
    Json input_responses;
    std::optional<std::string> request_state;
};

/// Any thread; calls overlap. Nothing is started before the first discover or call; a server that
/// ended is started again by the next one. Stopped after Limits::idle_stop without use.
class Client : public std::enable_shared_from_this<Client> {
public:
    static std::shared_ptr<Client> make(ServerSpec, const Surroundings&);
    /// With connections from elsewhere; for tests and other carriers.
    static std::shared_ptr<Client> make(ServerSpec, const Surroundings&, std::unique_ptr<Opener>);
    ~Client();

    /// The server's whole tool list as it is recorded: usable tools sorted by name, the dropped
    /// ones with reasons, and in `source` {server, serverInfo, protocolVersion, capabilities,
    /// instructions, complete, incompleteReason?}. Fails as `call` does when the server cannot be
    /// reached.
    Result<ToolList> discover(const Until&);

    /// Calls a tool by its raw name; `arguments_json` is a JSON object text. Errors:
    /// `server_unavailable` (not_done: not found, cannot start, no handshake), `connection_lost`,
    /// `timeout`, `cancelled` (unknown), `tool_error`, `rpc_error` (done_with_error),
    /// `message_too_large`, `invalid_response`, `unsupported_version` (permanent), `input_required`
    /// (not_done; details {inputRequests, requestState?}: call again with the answers),
    /// `task_started` (unknown; details {taskId, status, pollIntervalMs?}: ask for it by
    /// tasks/get).
    Result<ToolResult> call(std::string_view raw_name, std::string_view arguments_json,
                            const CallOptions&);

    /// Any request, for what has no method of its own. Errors as above; JSON-RPC errors in the
    /// reply.
    Result<Reply> request(std::string_view method, const JsonObject& params, const RequestOptions&);

    /// What was agreed with the server, connecting if need be.
    Result<Session> session(const Until&);

    /// Ends the connection; the next use opens another.
    void stop();
    const ServerSpec& spec() const { return spec_; }

private:
    struct Open {
        std::shared_ptr<Connection> connection;
        Session session;
        std::string meta; ///< members of `_meta` for each request, or ""
    };
    Client(ServerSpec, const Surroundings&);

    Result<std::shared_ptr<const Open>> connect(const Until&);
    Result<std::shared_ptr<const Open>> open_now(const Until&);
    Result<Session> negotiate(std::shared_ptr<Connection>&, const Until&);
    std::string log_level_member() const;
    void ask_for_log(Connection&, const Until&);
    Error unavailable(const Error& why) const;
    Status may_start();
    /// One request on whatever connection stands; opened anew once if that one turns out to be dead
    /// before anything was sent.
    template <class Params> // from an Open: the params as text
    Result<Reply> ask(std::string_view method, const Params& params, const RequestOptions& options);
    std::vector<std::pair<std::string, std::string>> fields_for(std::string_view tool,
                                                                std::string_view arguments_json);
    /// Over HTTP: a tool whose arguments cannot be repeated as it wants must not be used.
    std::optional<ToolList::Dropped> learn_headers(const ToolDefinition&);
    Status relearn(const Until&);
    void stop_when_idle();
    void idle_check(std::uint64_t uses_then);

    const ServerSpec spec_;
    const Surroundings around_;
    const ClientFace face_;
    std::unique_ptr<Opener> opener_;

    std::mutex mutex_;
    std::condition_variable_any opened_;
    std::shared_ptr<const Open> open_;
    bool opening_ = false;
    std::uint64_t attempts_ = 0; ///< finished openings, good or bad
    std::optional<Error> last_failure_;
    std::optional<Era> era_; ///< remembered for this server
    std::deque<std::chrono::steady_clock::time_point> failed_starts_;
    std::uint64_t uses_ = 0, open_calls_ = 0;
    bool idle_planned_ = false;
    std::int64_t next_token_ = 1;
    /// Arguments that HTTP repeats in header fields, by tool; known once the tools were listed.
    std::map<std::string, std::vector<HeaderParam>, std::less<>> header_params_;
};

} // namespace foxwedge::mcp
