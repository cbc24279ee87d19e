// Which era of MCP a server speaks, and which revision. Pure: answers in, next thing to send out.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"
#include "mcp/connection.hpp"
#include "mcp/message.hpp"

namespace foxwedge::mcp {

inline constexpr std::string_view modern_version = "2026-07-28";
/// Newest first.
inline constexpr std::string_view handshake_versions[] = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                          "2024-11-05"};
/// The extension of 2026-07-28 that has tasks.
inline constexpr const char* tasks_extension = "io.modelcontextprotocol/tasks";
Era era_of(std::string_view version);
bool is_known_version(std::string_view version);

/// What was agreed with a server.
struct Session {
    Era era = Era::handshake;
    std::string version;
    Json server_info;  ///< object or null
    Json capabilities; ///< object
    std::string instructions;
    bool offers(std::string_view capability) const { return member(capabilities, capability); }
};

/// Who we are and what we can be asked for.
struct ClientFace {
    std::string name = "foxwedge", version = "0.1.0";
    JsonObject capabilities;
};

/// The members that every modern request carries in `_meta`, as JSON members without braces.
std::string modern_meta(const ClientFace&, std::string_view version);

class Negotiation {
public:
    struct Step {
        enum class What {
            send,              ///< `method` with `params`, and report the answer
            restart_then_send, ///< the same in a fresh process
            done,              ///< the session stands; handshake: send notifications/initialized
            failed
        };
        What what = What::failed;
        std::string method, params;
        Error error;
    };

    /// `remembered` is the verdict on an earlier process of the same server. `restart` tells
    /// whether a dead peer can be started again (stdio).
    Negotiation(ClientFace, std::optional<Era> remembered, bool restart = true);

    Step start();
    Step on_result(Json result);
    Step on_error(const RpcError&);
    /// No answer within the time for a probe.
    Step on_silence();
    /// The peer ended; `why` is what is known.
    Step on_death(const Error& why);

    Session& session() { return session_; }

private:
    Step discover();
    Step initialize(bool restart = false);
    Step take_discovery(Json result);
    Step take_initialized(Json result);
    Step choose(const JsonArray& supported);
    Step fail(std::string message) const;

    const ClientFace face_;
    const std::optional<Era> remembered_;
    bool may_restart_;
    bool probing_ = false; ///< the open request is server/discover
    int discovers_ = 0, initializes_ = 0;
    std::string offered_{handshake_versions[0]};
    Session session_;
};

} // namespace foxwedge::mcp
