// What official servers said, recorded, and said again to our client.
#include <fstream>
#include <mutex>

#include "../unit/mcp/peer_fixture.hpp"
#include "http/server.hpp"
#include "mcp/tool_result.hpp"
#include "shared_data.hpp"

using namespace foxwedge;
using namespace foxwedge::mcp;
using foxwedge::mcp::test::PeerFixture;

namespace {

struct RecordedCall {
    std::string tool, arguments;
    Json answer;
};

/// The tool calls of a transcript that were answered, in order.
std::vector<RecordedCall> calls_in(const std::filesystem::path& path) {
    std::vector<RecordedCall> calls;
    std::vector<Json> ids;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const auto entry = parse_json(line);
        BOOST_REQUIRE(entry.ok());
        const Json& message = *member(*entry, "msg");
        if (string_member(message, "method") == "tools/call") {
            const Json& params = *member(message, "params");
            const Json* arguments = member(params, "arguments");
            ids.push_back(*member(message, "id"));
            calls.push_back({std::string(*string_member(params, "name")),
                             arguments ? to_text(*arguments) : "{}", nullptr});
        } else if (const Json* id = member(message, "id"); id && !member(message, "method"))
            for (std::size_t i = 0; i < ids.size(); ++i)
                if (ids[i] == *id && string_member(*entry, "dir") == "server->client")
                    calls[i].answer = message;
    }
    std::erase_if(calls, [](const RecordedCall& each) { return each.answer.is_null(); });
    return calls;
}

/// How the client must see a recorded answer.
std::string expected(const Json& answer) {
    if (const Json* error = member(answer, "error"))
        return integer_member(*error, "code") == rpc::invalid_params ? "invalid_params"
                                                                     : "rpc_error";
    const Json& result = *member(answer, "result");
    if (string_member(result, "resultType") == "input_required") return "input_required";
    const auto read = read_tool_result(result, false);
    if (!read) return read.error().code;
    return read->is_error ? "invalid_params" : to_text(Json(read->content));
}

std::string seen(const Result<ToolResult>& result) {
    if (!result) return result.error().code;
    return result->is_error ? "invalid_params" : to_text(Json(result->content));
}

/// A recorded server over HTTP: a request is answered with what followed the first unused request
/// of the same method and tool, as a body or as the very events, ids put right.
class HttpReplay {
public:
    explicit HttpReplay(const std::filesystem::path& path) {
        std::ifstream file(path);
        for (std::string line; std::getline(file, line);) {
            auto exchange = parse_json(line);
            BOOST_REQUIRE(exchange.ok());
            if (const Json* asked = at_pointer(*exchange, "/request/body");
                asked && asked->is_object() && member(*asked, "id") && member(*asked, "method"))
                exchanges_.push_back({*asked, *member(*exchange, "response"), false});
        }
    }
    std::string url() const { return server_->origin() + "/mcp"; }

    std::vector<RecordedCall> calls() const {
        std::vector<RecordedCall> calls;
        for (const auto& each : exchanges_) {
            if (string_member(each.asked, "method") != "tools/call") continue;
            const Json& params = *member(each.asked, "params");
            const Json* arguments = member(params, "arguments");
            RecordedCall call{std::string(*string_member(params, "name")),
                              arguments ? to_text(*arguments) : "{}", nullptr};
            for (const Json& message : messages(each))
                if (member(message, "id") && !member(message, "method")) call.answer = message;
            if (!call.answer.is_null()) calls.push_back(std::move(call));
        }
        return calls;
    }

private:
    struct Exchange {
        Json asked, response;
        bool used = false;
    };

    static std::string what_of(const Json& message) {
        const Json* name = at_pointer(message, "/params/name");
        return std::string(string_member(message, "method").value_or("")) + "/" +
               (name ? to_text(*name) : "");
    }
    static bool streams(const Exchange& each) {
        const Json* type = at_pointer(each.response, "/headers/content-type");
        return type && to_text(*type).find("event-stream") != std::string::npos;
    }
    /// `change` for each message of a body.
    template <class Change>
    static std::string rewritten(const Exchange& each, Change change) {
        const std::string body(string_member(each.response, "body").value_or(""));
        const auto one = [&](const std::string& text) {
            auto message = parse_json(text);
            if (!message || !message->is_object()) return text;
            change(*message);
            return to_text(*message);
        };
        if (!streams(each)) return one(body);
        std::string out;
        std::istringstream lines(body);
        for (std::string line; std::getline(lines, line);)
            out += (line.rfind("data: {", 0) == 0 ? "data: " + one(line.substr(6)) : line) + "\n";
        return out;
    }
    static std::vector<Json> messages(const Exchange& each) {
        std::vector<Json> all;
        (void)rewritten(each, [&](Json& message) { all.push_back(message); });
        return all;
    }

    void serve(const http::ServerRequest& request, const std::shared_ptr<http::Responder>& answer) {
        if (request.method != "POST") return (void)answer->respond(405, {}, "");
        const auto message = parse_json(request.body);
        const Json* id = message ? member(*message, "id") : nullptr;
        if (!id || !member(*message, "method")) return (void)answer->respond(202, {}, "");
        std::lock_guard lock(mutex_);
        for (auto& each : exchanges_) {
            if (each.used || what_of(each.asked) != what_of(*message)) continue;
            each.used = true;
            http::Headers headers{
                {"Content-Type", streams(each) ? "text/event-stream" : "application/json"}};
            if (const Json* session = at_pointer(each.response, "/headers/mcp-session-id"))
                headers.add("Mcp-Session-Id", std::string(view(session->get_string())));
            const Json* token = at_pointer(*message, "/params/_meta/progressToken");
            const auto body = rewritten(each, [&](Json& said) {
                if (member(said, "id") && !member(said, "method")) said.get_object()["id"] = *id;
                if (Json* params = said.get_object().if_contains("params");
                    token && params && member(*params, "progressToken"))
                    params->get_object()["progressToken"] = *token;
            });
            const auto status = integer_member(each.response, "status").value_or(200);
            return (void)answer->respond(static_cast<int>(status), std::move(headers), body);
        }
        (void)answer->respond(400, {}, "not recorded");
    }

    std::vector<Exchange> exchanges_;
    std::mutex mutex_;
    std::unique_ptr<http::Server> server_ = [this] {
        auto made = http::make_server(
            "127.0.0.1", 0, [this](auto request, auto answer) { serve(request, answer); });
        BOOST_REQUIRE(made.ok());
        return std::move(*made);
    }();
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_recorded_server, PeerFixture)

BOOST_AUTO_TEST_CASE(is_understood_message_by_message) {
    const auto folder = foxwedge::test::shared_data("mcp-wire");
    if (!folder) return;
    const std::pair<const char*, const char*> transcripts[] = {
        {"stdio-v2sdk-2026-07-28.jsonl", "2026-07-28"},
        {"stdio-v2sdk-legacy.jsonl", "2025-11-25"},
        {"stdio-v1client-server-everything-2025-11-25.jsonl", "2025-11-25"}};
    for (const auto& [name, version] : transcripts) {
        ServerSpec spec;
        spec.name = "recorded";
        spec.command = {.program = build("tests/support/mcp-replay"), .args = {*folder / name}};
        const auto peer = client_of(spec);
        const auto list = peer->discover(soon());
        BOOST_REQUIRE_MESSAGE(list.ok(), name);
        BOOST_TEST((string_member(list->source, "protocolVersion") == version), name);
        BOOST_TEST(list->tools.size() >= 4u);
        BOOST_TEST(list->dropped.empty());
        const auto calls = calls_in(*folder / name);
        BOOST_TEST(calls.size() >= 5u);
        for (const auto& call_made : calls)
            BOOST_TEST(seen(call(*peer, call_made.tool, call_made.arguments)) ==
                           expected(call_made.answer),
                       name << " " << call_made.tool);
    }
}

BOOST_AUTO_TEST_CASE(is_understood_over_http_exchange_by_exchange) {
    const auto folder = foxwedge::test::shared_data("mcp-wire");
    if (!folder) return;
    const auto http = http::make_client({});
    const std::pair<const char*, const char*> transcripts[] = {
        {"http-v2sdk-2026-07-28.jsonl", "2026-07-28"},
        {"http-v2sdk-legacy.jsonl", "2025-11-25"},
        {"http-v1client-server-everything-2025-11-25.jsonl", "2025-11-25"}};
    for (const auto& [name, version] : transcripts) {
        const HttpReplay recorded(*folder / name);
        ServerSpec spec;
        spec.name = "recorded";
        spec.url = recorded.url();
        const auto peer = Client::make(spec, {&supervisor, &log, nullptr, limits, http.get()});
        const auto list = peer->discover(soon());
        BOOST_REQUIRE_MESSAGE(list.ok(), name << ": " << (list.ok() ? "" : list.error().message));
        BOOST_TEST((string_member(list->source, "protocolVersion") == version), name);
        BOOST_TEST(list->tools.size() >= 4u);
        BOOST_TEST(list->dropped.empty());
        const auto calls = recorded.calls();
        BOOST_TEST(calls.size() >= 5u);
        for (const auto& call_made : calls)
            BOOST_TEST(seen(call(*peer, call_made.tool, call_made.arguments)) ==
                           expected(call_made.answer),
                       name << " " << call_made.tool);
        peer->stop();
    }
}

// Their answers to the probe, one by one.
BOOST_AUTO_TEST_CASE(of_the_field_is_told_by_its_answer_to_the_probe) {
    const auto folder = foxwedge::test::shared_data("mcp-wire");
    if (!folder) return;
    std::ifstream file(*folder / "server-discover-probe-of-35-servers.json");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto all = parse_json(text);
    BOOST_REQUIRE(all.ok());
    std::size_t handshake = 0, modern = 0;
    for (const Json& each : all->get_array()) {
        Negotiation negotiation({}, std::nullopt, true);
        (void)negotiation.start();
        Negotiation::Step step;
        if (const Json* error = at_pointer(each, "/reply/error"))
            step = negotiation.on_error({integer_member(*error, "code").value_or(0), "", nullptr});
        else // of a result the names of its members are on record
            step = negotiation.on_result(Json{{"supportedVersions", JsonArray{"2026-07-28"}}});
        handshake += step.method == "initialize";
        modern += step.what == Negotiation::Step::What::done;
    }
    BOOST_TEST(handshake == 33u);
    BOOST_TEST(modern == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
