#include "mcp_peer.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <unistd.h>

namespace peer {

void print(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(1, bytes.data(), bytes.size());
        if (written <= 0) std::exit(0);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}
void print_message(const Json& message) {
    print(foxwedge::to_text(message) + "\n");
}
void answer(const Json& id, Json result) {
    print_message({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}
void refuse(const Json& id, int code, std::string message, Json data) {
    JsonObject error{{"code", code}, {"message", message}};
    if (!data.is_null()) error["data"] = std::move(data);
    print_message({{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}});
}
Json text(std::string what) {
    return {{"content", JsonArray{JsonObject{{"type", "text"}, {"text", std::move(what)}}}}};
}

bool read_line(std::string& line) {
    return static_cast<bool>(std::getline(std::cin, line));
}

namespace {

void discover(const Options& options, const Json& id) {
    const auto how = options.get("probe");
    if (how == "die") std::exit(7);
    if (how == "silent") return;
    if (options.get("era") == "modern")
        return answer(
            id, {{"resultType", "complete"},
                 {"supportedVersions", JsonArray{"2026-07-28"}},
                 {"capabilities", {{"tools", JsonObject()}}},
                 {"ttlMs", 0},
                 {"cacheScope", "private"},
                 {"_meta",
                  {{"io.modelcontextprotocol/serverInfo", {{"name", "peer"}, {"version", "1"}}}}}});
    if (how == "version")
        return refuse(id, -32022, "Unsupported protocol version",
                      {{"supported", JsonArray{"2025-06-18"}}, {"requested", "2026-07-28"}});
    refuse(id, -32601, "Method not found");
}

void initialize(const Options& options, const Json& id, const Json& params) {
    if (options.get("era") == "modern") return refuse(id, -32601, "This server speaks 2026-07-28");
    if (options.get("start") == "die") {
        std::fputs("cannot open store\n", stderr);
        std::exit(3);
    }
    if (options.get("start") == "silent") return;
    const auto asked = foxwedge::string_member(params, "protocolVersion").value_or("");
    answer(id, {{"protocolVersion", options.get("version", std::string(asked))},
                {"capabilities", {{"tools", {{"listChanged", true}}}}},
                {"serverInfo", {{"name", "peer"}, {"version", "1"}}},
                {"instructions", "Be kind."}});
}

void take(const Options& options, const Json& message) {
    const auto method = foxwedge::string_member(message, "method");
    if (!method) return on_answer(message);
    const Json* id = foxwedge::member(message, "id");
    const Json* params = foxwedge::member(message, "params");
    const Json none = JsonObject();
    if (!params) params = &none;
    if (*method == "notifications/cancelled") on_cancelled(*params);
    if (!id) return;
    if (*method == "server/discover")
        discover(options, *id);
    else if (*method == "initialize")
        initialize(options, *id, *params);
    else if (*method == "tools/list")
        answer(*id, list_tools(options, *params));
    else if (*method == "tools/call")
        call_tool(options, *id, *params);
    else
        refuse(*id, -32601, "Method not found");
}

} // namespace
} // namespace peer

int main(int argc, char** argv) {
    peer::Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto sign = word.find('=');
        options.values[word.substr(0, sign)] = sign == word.npos ? "" : word.substr(sign + 1);
    }
    const int banner = std::atoi(options.get("banner", "0").c_str());
    for (int i = 0; i < banner; ++i) peer::print("Palette tools ready (pid 4711)\n");
    std::string line;
    while (peer::read_line(line))
        if (const auto message = foxwedge::parse_json(line)) peer::take(options, *message);
    return 0;
}
