// A client of the misbehaving peer.
#pragma once
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "mcp/client.hpp"
#include "process/supervisor.hpp"

namespace foxwedge::mcp::test {

/// Keeps what was logged.
class NotedLog final : public Log {
public:
    void write(LogLevel level, std::string_view, std::string_view what,
               std::initializer_list<LogField> fields) override {
        std::lock_guard lock(mutex_);
        std::string line(what);
        for (const auto& field : fields) line += " " + std::string(field.key) + "=" + field.value;
        if (level != LogLevel::debug) lines_.push_back(std::move(line));
    }
    /// How many lines, above debug, begin with `what`.
    std::size_t count(std::string_view what) const {
        std::lock_guard lock(mutex_);
        std::size_t found = 0;
        for (const auto& line : lines_) found += line.rfind(what, 0) == 0;
        return found;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> lines_;
};

struct PeerFixture {
    NotedLog log;
    process::Supervisor supervisor{
        {}, {std::chrono::milliseconds(200), std::chrono::milliseconds(200)}};
    Limits limits;
    Millis call_timeout{20'000};
    std::vector<std::string> roots;

    static std::string build(std::string part) {
        return std::string(std::getenv("FOXWEDGE_BUILD_ROOT")) + "/" + part;
    }
    ServerSpec peer(std::vector<std::string> options = {}) const {
        ServerSpec spec;
        spec.name = "peer";
        spec.command = {.program = build("tests/support/mcp-peer"), .args = std::move(options)};
        spec.timeout = call_timeout;
        spec.roots = roots;
        return spec;
    }
    std::shared_ptr<Client> client_of(ServerSpec spec) {
        return Client::make(std::move(spec), {&supervisor, &log, nullptr, limits});
    }
    /// A client of the peer started with `options` (tests/support/mcp_peer.hpp).
    std::shared_ptr<Client> client(std::vector<std::string> options = {}) {
        return client_of(peer(std::move(options)));
    }
    static Until soon() { return Until{}.within(std::chrono::seconds(30)); }
    static CallOptions options() {
        CallOptions options;
        options.until = soon();
        return options;
    }
    static Result<ToolResult> call(Client& client, std::string_view tool,
                                   std::string_view arguments = "{}") {
        return client.call(tool, arguments, options());
    }
    /// The first text of a call that must succeed.
    static std::string text(const Result<ToolResult>& result) {
        BOOST_REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().message));
        if (result->content.empty()) return "(none)";
        return std::string(string_member(result->content[0], "text").value_or("(no text)"));
    }
    static std::string code(const Result<ToolResult>& result) {
        return result.ok() ? "ok" : result.error().code;
    }
};

} // namespace foxwedge::mcp::test
