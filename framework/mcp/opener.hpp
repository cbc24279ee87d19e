// Where a client's connections come from: a child process, an HTTP endpoint, or a test.
#pragma once
#include <functional>
#include <memory>
#include <string_view>

#include "base/log.hpp"
#include "base/result.hpp"
#include "http/client.hpp"
#include "mcp/connection.hpp"
#include "mcp/limits.hpp"
#include "mcp/server_spec.hpp"
#include "process/supervisor.hpp"

namespace foxwedge::mcp {

/// Sees every message on the wire as it is, for people who look for a fault. Any thread.
using Tap = std::function<void(bool to_server, std::string_view message)>;

/// What all clients of a host share. Everything outlives the clients.
struct Surroundings {
    process::Supervisor* children = nullptr; ///< for servers that are children
    Log* log = &silent_log();
    const Masker* masker = nullptr; ///< for what servers print
    Limits limits;
    http::Client* http = nullptr; ///< for servers with a URL
    Tap tap;
};

class Opener {
public:
    virtual ~Opener() = default;
    virtual Result<std::shared_ptr<Connection>> open() = 0;
    /// True if a peer that died of a question can be had afresh.
    virtual bool reopens() const = 0;
};

/// Starts `spec.command` with its secrets filled in. `spec` outlives the opener.
std::unique_ptr<Opener> open_by_child(const ServerSpec& spec, const Surroundings&);

/// Talks Streamable HTTP to `spec.url`. `spec` outlives the opener.
std::unique_ptr<Opener> open_by_http(const ServerSpec& spec, const Surroundings&);

} // namespace foxwedge::mcp
