// Who may come in over HTTP, and whether the header fields say what the body says. Pure; private to
// this layer.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/headers.hpp"
#include "mcp/message.hpp"
#include "mcp/service.hpp"

namespace foxwedge::mcp {

/// A response that ends the matter.
struct Turned {
    int status = 400;
    http::Headers headers;
    std::string body;
};

/// Whom a bearer token stands for.
struct BearerToken {
    std::string user, value;
};

struct Door {
    std::vector<std::string> hosts;  ///< names that Host and Origin may have, without ports
    std::vector<BearerToken> tokens; ///< empty: everybody who reaches the port may come in

    /// Refuses a foreign Host or Origin (403: DNS rebinding) and a missing or wrong token (401);
    /// else `user` is whom the token stands for.
    std::optional<Turned> turned(const http::Headers&, std::string& user) const;
};

/// The host names by which the machine itself is called.
std::vector<std::string> loopback_names();

/// True where a request is meant for the stateless revision, right or wrong.
bool is_modern(const http::Headers&, const Json& message);

/// What 2026-07-28 wants of a request's header fields: each present and equal to what the body
/// says. Error -32020.
std::optional<RpcError> header_problem(const http::Headers&, const Request&, const Service&);

} // namespace foxwedge::mcp
