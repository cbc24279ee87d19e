// mcp: the catalogue as an MCP server, over this process's own pipes or over HTTP.
#include "cli.hpp"

#include <charconv>
#include <csignal>
#include <cstdio>

#include "base/text.hpp"
#include "compose/seal_key.hpp"
#include "compose/serving.hpp"
#include "hosts.hpp"
#include "mcp/serve_http.hpp"
#include "mcp/serve_stdio.hpp"
#include "mcp_inspect.hpp"
#include "output.hpp"
#include "session.hpp"

namespace foxwedge::cli {
namespace {

/// "127.0.0.1:7777", "[::1]:7777", ":7777" or "7777".
Result<mcp::HttpServing> http_serving(const std::string& address) {
    mcp::HttpServing serving;
    const auto colon = address.rfind(':');
    std::string host = colon == address.npos ? "" : address.substr(0, colon);
    const std::string port = colon == address.npos ? address : address.substr(colon + 1);
    if (host.size() > 1 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    if (host == "localhost") host = "127.0.0.1";
    if (!host.empty()) serving.address = host;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), serving.port);
    if (port.empty() || error != std::errc() || end != port.data() + port.size())
        return permanent("usage",
                         "--http takes ADDRESS:PORT, as 127.0.0.1:7777, not \"" + address + "\"");
    return serving;
}

bool is_loopback(const std::string& address) {
    return address == "::1" || address.rfind("127.", 0) == 0;
}

/// Blocks the signals that end a server, so that `wait` gets them; before any thread starts.
class EndSignals {
public:
    EndSignals() {
        sigemptyset(&set_);
        sigaddset(&set_, SIGINT);
        sigaddset(&set_, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    }
    void wait() const {
        int signal = 0;
        sigwait(&set_, &signal);
    }

private:
    sigset_t set_;
};

int serve_over_http(const Globals& globals, const McpArgs& args, compose::Host& host,
                    mcp::Service& service, std::string seal_key, const EndSignals& signals) {
    auto serving = http_serving(args.http);
    if (!serving) return report(globals, serving.error());
    serving->seal_key = std::move(seal_key);
    for (const auto& name : args.tokens) {
        auto value = host.secret(name);
        if (!value) return report(globals, value.error());
        serving->tokens.push_back({name, *value});
    }
    if (!is_loopback(serving->address) && serving->tokens.empty())
        return report(globals, permanent("usage", "an address other than loopback needs --token"));
    serving->hosts = args.hosts;
    serving->limits = host.mcp_limits();
    const auto& limits = host.config().limits;
    serving->sessions = static_cast<std::size_t>(limits.serve_sessions);
    serving->session_idle = limits.serve_session_idle;
    serving->http.connections = static_cast<std::size_t>(limits.serve_connections);
    serving->http.body_bytes = static_cast<std::size_t>(limits.serve_body_bytes);
    auto server = mcp::serve_http(service, std::move(*serving));
    if (!server) return report(globals, server.error());
    note("serving MCP at " + (*server)->url());
    if (globals.json) {
        print(to_text(JsonObject{{"url", (*server)->url()}}));
        std::fflush(stdout); // whoever started us waits for it
    }
    signals.wait();
    return succeeded;
}

} // namespace

int mcp(const Globals& globals, const McpArgs& args) {
    if (!args.inspect.empty()) return inspect_server(globals, args.config, args.inspect);
    std::optional<EndSignals> signals;
    if (!args.http.empty()) signals.emplace();
    auto host = host_of_file(globals, args.config);
    if (!host) return report(globals, host.error());
    compose::ServeRequest request;
    request.capability = args.capability;
    request.conversation = args.conversation;
    request.user = args.user.empty() ? os_user() : args.user;
    request.record_all = args.record == "all";
    request.workflows = args.workflows;
    auto serving = compose::make_serving(**host, std::move(request));
    if (!serving) return report(globals, serving.error());
    auto seal_key = compose::kept_seal_key((*host)->config().journal.path);
    if (!seal_key) return report(globals, seal_key.error());
    auto& service = (*serving)->service();
    if (signals)
        return serve_over_http(globals, args, **host, service, *std::move(seal_key), *signals);
    mcp::StdioServing stdio;
    stdio.seal_key = *std::move(seal_key);
    stdio.limits = (*host)->mcp_limits();
    mcp::serve_stdio(service, stdio);
    return succeeded;
}

} // namespace foxwedge::cli
