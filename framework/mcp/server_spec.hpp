// What a host knows of an MCP server before it talks to it.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "contracts/options.hpp"
#include "process/command.hpp"

namespace foxwedge::mcp {

struct ServerSpec {
    std::string name;
    process::Command command; ///< a child, unless `url` is set
    std::string url;          ///< Streamable HTTP
    HeaderFields headers;
    Millis timeout{60'000};         ///< silence of one call
    Millis start_timeout{30'000};   ///< from the start to the end of the handshake
    Millis probe_timeout{10'000};   ///< of it: for the first question, which old servers may ignore
    std::vector<std::string> roots; ///< file URIs
    JsonObject capabilities;        ///< declared besides roots: sampling, elicitation, extensions
    Millis elicitation_hold{600'000};        ///< how long a call is held open for a person's answer
    bool resources = false, prompts = false; ///< offered as tools
    /// One of MCP's levels, asked for where the server logs; "off": it is not asked to.
    std::string log_level = "info";
    /// Further header fields, asked for at each use; unset: none.
    std::function<Result<HeaderFields>()> more_headers;
    /// Fills `${secret:NAME}` in values of `command.env` and `headers`, anew at each use; unset:
    /// texts are taken as they are.
    std::function<Result<std::string>(std::string_view text)> resolve;
};

/// The spec of a config entry; `start` and `call` are the timeouts of one that names none.
ServerSpec server_spec(const McpServerOptions&, Millis start, Millis call);

} // namespace foxwedge::mcp
