// What an attached MCP server is like: handshake, tools, times, and every message.
#pragma once
#include <string>

#include "cli.hpp"

namespace foxwedge::cli {

int inspect_server(const Globals&, const std::string& config, const std::string& server);

} // namespace foxwedge::cli
