// One workflow capability as an MCP server, for embedders with a transport of their own.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "compose/serving.hpp"

namespace foxwedge::compose {

/// Whose data the calls work on, where no client is recognised.
struct CapabilityServerOptions {
    std::string conversation; ///< "" for one conversation a call
    std::string user;
};

/// The server of the capability that has this tool: it announces the component's id and lists bare
/// names. Each call is a durable run under the host's own gates. Connect its service() by
/// mcp::serve_stdio, mcp::serve_http or a session of your own; the host outlives it. Errors:
/// `unknown_tool` for an id that names no capability's tool, `unavailable` where it cannot work
/// here, `unregistered_tool` where the catalogue does not declare it.
Result<std::unique_ptr<Serving>> create_capability_server(Host&, std::string_view tool_id,
                                                          CapabilityServerOptions = {});

} // namespace foxwedge::compose
