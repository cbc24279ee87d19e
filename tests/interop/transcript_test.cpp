// What official servers said, recorded, and said again to our client.
#include <fstream>

#include "../unit/mcp/peer_fixture.hpp"
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

BOOST_AUTO_TEST_SUITE_END()
