// Header fields that code gives for an MCP server: asked for at each use, kept out of what is
// written.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <mutex>

#include <unistd.h>

#include "compose/host.hpp"
#include "http/server.hpp"

namespace foxwedge::compose {
namespace {

/// A server whose only tool repeats the token that it was given.
struct Echoing {
    std::mutex mutex;
    std::vector<std::string> seen; ///< Authorization of each request with a body
    std::unique_ptr<http::Server> server = [this] {
        auto made = http::make_server(
            "127.0.0.1", 0, [this](auto request, auto answer) { serve(request, *answer); });
        BOOST_REQUIRE(made.ok());
        return std::move(*made);
    }();

    void serve(const http::ServerRequest& request, http::Responder& answer) {
        if (request.method != "POST") return (void)answer.respond(405, {}, "");
        const auto message = parse_json(request.body);
        const std::string method(string_member(*message, "method").value_or(""));
        const std::string token(request.headers.first("Authorization").value_or("none"));
        {
            const std::lock_guard lock(mutex);
            seen.push_back(method + " " + token);
        }
        const Json* const id = member(*message, "id");
        if (!id) return (void)answer.respond(202, {}, "");
        JsonObject result;
        if (method == "initialize")
            result = {{"protocolVersion", "2025-11-25"},
                      {"capabilities", {{"tools", JsonObject()}}}};
        if (method == "tools/list")
            result["tools"] =
                JsonArray{JsonObject{{"name", "echo"}, {"inputSchema", {{"type", "object"}}}}};
        if (method == "tools/call")
            result["content"] =
                JsonArray{JsonObject{{"type", "text"}, {"text", "you sent " + token}}};
        if (result.empty()) return (void)answer.respond(400, {}, "");
        http::Headers json{{"Content-Type", "application/json"}};
        (void)answer.respond(
            200, json,
            to_text(Json{{"jsonrpc", "2.0"}, {"id", *id}, {"result", std::move(result)}}));
    }
    bool saw(const std::string& what) {
        const std::lock_guard lock(mutex);
        return std::find(seen.begin(), seen.end(), what) != seen.end();
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(headers_from_code)

BOOST_AUTO_TEST_CASE(they_are_asked_for_at_each_use_and_masked_where_a_server_repeats_them) {
    auto folder = (std::filesystem::temp_directory_path() / "foxwedge-headers-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(folder.data()));
    {
        Echoing peer;
        config::HostConfig config;
        config.name = "h";
        config.journal.path = folder + "/journal";
        auto& entry = config.mcp_servers["orders"];
        entry.name = "orders";
        entry.url = peer.server->origin() + "/mcp";
        int asked = 0;
        entry.more_headers = [&]() -> Result<HeaderFields> {
            return HeaderFields{{"Authorization", "Bearer token-no-" + std::to_string(++asked)}};
        };
        auto host = Host::make(std::move(config), {});
        BOOST_REQUIRE_MESSAGE(host.ok(), (host.ok() ? "" : host.error().message));
        auto orders = (*host)->world().mcp_server("orders");
        BOOST_REQUIRE(orders.ok());
        Call call;
        BOOST_REQUIRE((*orders)->list(call).ok());
        const int to_list = asked;
        BOOST_TEST(to_list > 0);
        const auto said = (*orders)->run("echo", "{}", call);
        BOOST_REQUIRE(said.ok());
        BOOST_TEST(asked > to_list);
        BOOST_TEST(peer.saw("tools/call Bearer token-no-" + std::to_string(asked)));
        BOOST_TEST(string_member(said->content.at(0), "text").value() ==
                   "you sent Bearer [redacted:orders/Authorization]");
    }
    std::filesystem::remove_all(folder);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace foxwedge::compose
