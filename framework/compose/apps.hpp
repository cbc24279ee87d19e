// Other hosts whose workflows tools may call, each composed from its own config file at its first
// call. A call is a run of that host, in that host's journal, found again by the step that makes
// it.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/log.hpp"
#include "config/host_config.hpp"
#include "contracts/tool.hpp"
#include "journal/engine.hpp"
#include "mcp/server_spec.hpp"

namespace foxwedge::compose {

class Host;

/// An app's name among the clients of MCP servers; no server's name has a colon.
std::string app_client(std::string_view app);
/// How an app at a URL is reached: it serves its workflows over MCP (`foxwedge mcp --workflows`).
mcp::ServerSpec app_spec(const std::string& app, const config::AppEntry&, const config::Limits&);

/// Any thread; outlives what it gives.
class Apps {
public:
    /// `callers`: the journal of the runs that call. All three outlive it.
    Apps(const std::map<std::string, config::AppEntry>& entries, journal::Engine& callers, Log&);
    ~Apps();

    /// A source whose tools are the app's workflows; composes nothing yet. Error `unknown_app`. Its
    /// calls fail with `app_unavailable` where the app's configuration cannot be used; what the
    /// app's run waits for they ask the people of the run that calls.
    Result<std::shared_ptr<ToolSource>> find(std::string_view name);
    int abandoned_calls() const;

private:
    class Hosted;
    Result<Host*> host(const std::string& name, const config::AppEntry&);

    const std::map<std::string, config::AppEntry>& entries_;
    journal::Engine& callers_;
    Log& log_;
    mutable std::mutex mutex_;
    std::map<std::string, std::unique_ptr<Host>, std::less<>> hosts_;
};

} // namespace foxwedge::compose
