// A host's configuration as plain structs. Keys, defaults and meaning: docs/config.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/retry.hpp"
#include "config/problem.hpp"
#include "contracts/options.hpp"

namespace foxwedge::config {

struct JournalConfig {
    std::string path; ///< default: $XDG_STATE_HOME/foxwedge/<name>
    std::string durability = "sync";
    std::int64_t map_limit = std::int64_t{64} << 30;
};

struct PluginLoad {
    std::string id;
    Json config; ///< object or null
    std::string isolation = "in-process";
    std::string sha256;
};

struct PluginsConfig {
    std::vector<std::string> path;
    std::vector<PluginLoad> load;
    bool strict = false;
};

struct ProviderEntry {
    std::string use;
    Json config; ///< object or null
    std::string model;
};

struct WorkflowEntry {
    std::string agent, script;
    Json limits; ///< of the script: lower ones than the plugin's; or null
};

struct AppEntry {
    std::string config, url;
    std::map<std::string, std::string> headers;
};

/// Where a secret's value comes from; exactly one of env, file, command.
struct SecretSource {
    std::string env, file;
    std::vector<std::string> command;
    std::vector<std::string> origins;
};

struct Price {
    double input = 0, output = 0; ///< USD per million tokens
    std::optional<double> cache_read, cache_write;
};

struct Limits {
    Millis mcp_start{30'000};           ///< until a server's handshake is done
    Millis mcp_call{60'000};            ///< silence of a server during one call
    Millis mcp_call_longest{1'800'000}; ///< however much progress it reports
    Millis mcp_idle{300'000};           ///< an unused child is stopped
    Millis provider_idle{120'000};      ///< silence of a model while it answers
    int mcp_tools = 4096;               ///< of one server
    int mcp_pages = 64;                 ///< of one list
    std::int64_t mcp_frame_bytes = 32 << 20;
    int json_depth = 128; ///< of MCP messages
    int serve_connections = 256;
    int serve_sessions = 1000;
    Millis serve_session_idle{1'800'000};
    std::int64_t serve_body_bytes = 32 << 20;
    Millis plugin_open{10'000}, plugin_create{30'000};
    int plugin_abandoned = 3; ///< calls left behind until a plugin gets no new work
    Millis guardrail{30'000};
    Millis context_plan{30'000}; ///< of one plan of a context strategy
    Millis plugin_grace{5'000};  ///< from a call's cancellation until it is left behind
    std::int64_t box_memory_bytes = std::int64_t{4} << 30; ///< address space of a plugin box
    std::int64_t box_cpu_seconds = 0;                      ///< of a plugin box; 0: no limit
};

struct HttpConfig {
    std::vector<std::string> allow; ///< origins; empty: all that the policy does not refuse
    bool allow_private = false;
    bool secrets_over_http = false; ///< beyond this machine
    std::string proxy;
    std::vector<std::string> no_proxy; ///< spelt as in `allow`
    std::string ca_file;
};

struct HostConfig {
    std::string name;
    std::string project; ///< default: name
    JournalConfig journal;
    PluginsConfig plugins;
    std::map<std::string, ProviderEntry> providers;
    std::string provider;
    std::map<std::string, McpServerOptions> mcp_servers;
    std::map<std::string, AgentOptions> agents;
    std::map<std::string, WorkflowEntry> workflows;
    std::map<std::string, AppEntry> apps;
    std::map<std::string, CatalogueEntry> tools;
    std::map<std::string, SecretSource> secrets;
    std::map<std::string, Price> prices;
    RetryPolicy retry;
    Limits limits;
    HttpConfig http;
    Json telemetry; ///< object or null

    /// The merged, resolved configuration that a run pins: secret-bearing fields keep their
    /// references, paths are absolute. read_pinned() gives this struct again.
    Json resolved;
    std::string file;   ///< absolute path of the main file, or ""
    std::string folder; ///< its folder
    /// A problem at a pointer into `resolved`, with the place where that part was written. Empty
    /// for a pinned configuration, whose places are not known.
    std::function<Problem(std::string pointer, std::string message)> problem_at;
};

} // namespace foxwedge::config
