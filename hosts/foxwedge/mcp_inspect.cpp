#include "mcp_inspect.hpp"

#include <chrono>
#include <cstdio>
#include <mutex>

#include "base/text.hpp"
#include "hosts.hpp"
#include "output.hpp"

namespace foxwedge::cli {
namespace {

using Steady = std::chrono::steady_clock;

double since(Steady::time_point from) {
    return std::chrono::duration<double, std::milli>(Steady::now() - from).count();
}

std::string shown_ms(double ms) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f ms", ms);
    return text;
}

/// Every message of the session, with when it passed.
class WireLog {
public:
    void take(bool to_server, std::string_view message) {
        std::lock_guard lock(mutex_);
        lines_.push_back({to_server, since(began_), std::string(message)});
    }
    JsonArray json() const {
        JsonArray all;
        for (const auto& line : lines_) {
            auto message = parse_json(line.message);
            all.push_back(JsonObject{{"to", line.to_server ? "server" : "client"},
                                     {"ms", line.ms},
                                     {"message", message ? *message : Json(line.message)}});
        }
        return all;
    }
    void print_all() const {
        print(inked("wire", Ink::bold));
        for (const auto& line : lines_) {
            char when[32];
            std::snprintf(when, sizeof when, "%9.1f ", line.ms);
            print(inked(when, Ink::dim) +
                  inked(line.to_server ? "→ " : "← ", line.to_server ? Ink::blue : Ink::green) +
                  line.message);
        }
    }

private:
    struct Line {
        bool to_server;
        double ms;
        std::string message;
    };
    const Steady::time_point began_ = Steady::now();
    std::mutex mutex_;
    std::vector<Line> lines_;
};

struct Seen {
    mcp::Session session;
    ToolList list;
    double open_ms = 0, list_ms = 0;
};

Result<Seen> look(mcp::Client& client) {
    Seen seen;
    const auto until = Until{}.within(client.spec().start_timeout + client.spec().timeout);
    auto begin = Steady::now();
    FOXWEDGE_TRY(session, client.session(until));
    seen.session = std::move(session);
    seen.open_ms = since(begin);
    begin = Steady::now();
    FOXWEDGE_TRY(list, client.discover(until));
    seen.list = std::move(list);
    seen.list_ms = since(begin);
    return seen;
}

Json to_json(const std::string& name, const Seen& seen, const WireLog& wire) {
    JsonObject out{{"server", name},
                   {"protocolVersion", seen.session.version},
                   {"serverInfo", seen.session.server_info},
                   {"capabilities", seen.session.capabilities},
                   {"openMs", seen.open_ms},
                   {"listMs", seen.list_ms}};
    const Json list = foxwedge::to_json(seen.list);
    for (const char* key : {"tools", "dropped", "warnings"})
        if (const Json* value = member(list, key)) out[key] = *value;
    out["wire"] = wire.json();
    return out;
}

void print_seen(const std::string& name, const mcp::Client& client, const Seen& seen) {
    const auto& spec = client.spec();
    const Json& info = seen.session.server_info;
    print(
        inked(name, Ink::bold) + "  " +
        (spec.url.empty() ? spec.command.program + " " + join(spec.command.args, " ") : spec.url));
    print("handshake  " + seen.session.version +
          (seen.session.era == mcp::Era::modern ? " (stateless)" : " (initialize)") + ", " +
          std::string(string_member(info, "name").value_or("?")) + " " +
          std::string(string_member(info, "version").value_or("?")) + ", " +
          shown_ms(seen.open_ms));
    std::vector<std::string> offers;
    if (seen.session.capabilities.is_object())
        for (const auto& [key, value] : seen.session.capabilities.get_object())
            offers.emplace_back(key);
    print("offers     " + join(offers, ", "));
    print("tools      " + std::to_string(seen.list.tools.size()) + ", " + shown_ms(seen.list_ms));
    Table table;
    for (const auto& tool : seen.list.tools)
        table.row({"  " + tool.name, shortened(tool.description, 80)});
    table.print();
    for (const auto& tool : seen.list.dropped)
        print("  " + inked("dropped ", Ink::red) + tool.name + ": " + tool.reason);
    for (const auto& warning : seen.list.warnings)
        print("  " + inked("warning ", Ink::yellow) + warning);
}

} // namespace

int inspect_server(const Globals& globals, const std::string& config, const std::string& server) {
    WireLog wire;
    auto host = host_of_file(globals, config, {}, [&](bool to_server, std::string_view message) {
        wire.take(to_server, message);
    });
    if (!host) return report(globals, host.error());
    const auto client = (*host)->mcp_client(server);
    if (!client) {
        std::vector<std::string> known;
        for (const auto& [name, entry] : (*host)->config().mcp_servers) known.push_back(name);
        return report(globals,
                      permanent("unknown_server",
                                "no entry \"" + server + "\" in mcpServers of " + config +
                                    ", or it is disabled; there are: " + join(known, ", ")));
    }
    const auto seen = look(*client);
    client->stop();
    if (!seen) {
        // What was said until then is what explains it.
        if (!globals.json) wire.print_all();
        return report(globals, seen.error());
    }
    if (globals.json) {
        print(to_text(to_json(server, *seen, wire)));
        return succeeded;
    }
    print_seen(server, *client, *seen);
    wire.print_all();
    return succeeded;
}

} // namespace foxwedge::cli
