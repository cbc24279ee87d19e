// The MCP servers of one host: one client each, shared by its runs.
#pragma once
#include <map>
#include <memory>
#include <mutex>

#include "mcp/client.hpp"

namespace foxwedge::mcp {

/// Starts nothing by itself: a client starts its server at its first use. Any thread.
class ClientPool {
public:
    explicit ClientPool(const Surroundings& around) : around_(around) {}
    /// Lets go of all servers; the supervisor sees them end.
    ~ClientPool() = default;

    /// Names a server. A second spec of that name replaces the first for later calls.
    void add(ServerSpec);
    /// Null where no such server was named.
    std::shared_ptr<Client> client(std::string_view name);
    /// A client of its own, for a run with `scope: "run"`.
    std::shared_ptr<Client> own_client(std::string_view name);

private:
    const Surroundings around_;
    std::mutex mutex_;
    std::map<std::string, ServerSpec, std::less<>> specs_;
    std::map<std::string, std::shared_ptr<Client>, std::less<>> clients_;
};

} // namespace foxwedge::mcp
