// The client under test, driven as the official suite drives clients:
//   conformance-client URL    plays the scenario that MCP_CONFORMANCE_SCENARIO names
#include <cstdio>
#include <cstdlib>
#include <map>

#include "contracts/form.hpp"
#include "mcp/client.hpp"

using namespace foxwedge;

namespace {

Until soon() {
    return Until{}.within(std::chrono::seconds(60));
}

[[noreturn]] void fail(const std::string& what, const Error& error) {
    std::fprintf(stderr, "%s: %s (%s)\n", what.c_str(), error.message.c_str(), error.code.c_str());
    std::exit(1);
}

/// Says yes to every question, with what its form has as defaults.
Json accepted(const Json& params) {
    const Json* schema = member(params, "requestedSchema");
    return {{"action", "accept"}, {"content", with_defaults(JsonObject(), schema)}};
}

class AcceptsAll final : public mcp::ServerRequests {
public:
    std::variant<Json, mcp::RpcError> answer(std::string_view method, const Json& params,
                                             const Until&) override {
        if (method == "elicitation/create") return accepted(params);
        return mcp::RpcError{mcp::rpc::method_not_found, "Method not found", nullptr};
    }
};

/// One scenario's client and what it knows of the server.
class Player {
public:
    explicit Player(const std::string& url)
        : http_(http::make_client({})),
          client_(mcp::Client::make(spec(url), {.http = http_.get()})) {}

    void list() {
        auto list = client_->discover(soon());
        if (!list) fail("tools/list", list.error());
        tools_ = std::move(*list);
    }
    /// Calls a tool and answers what it asks, round by round.
    void call(std::string_view tool, const Json& arguments = JsonObject()) {
        AcceptsAll accepts;
        mcp::CallOptions options;
        options.until = soon();
        options.server_requests = &accepts;
        for (int round = 0; round < 5; ++round) {
            const auto result = client_->call(tool, to_text(arguments), options);
            if (result || result.error().code == "tool_error") return;
            if (result.error().code != "input_required") fail(std::string(tool), result.error());
            answer(*parse_json(result.error().details), options);
        }
    }
    const ToolList& tools() const { return tools_; }

    /// Asks for a list and for each of its items by `key`.
    void read_all(const char* list_method, const char* list, const char* method, const char* key) {
        const auto reply = client_->request(list_method, {}, {.until = soon()});
        if (!reply) fail(list_method, reply.error());
        const JsonArray* items = array_member(reply->result, list);
        if (!items) return;
        for (const Json& item : *items) {
            const std::string subject(string_member(item, key).value_or(""));
            const auto got =
                client_->request(method, {{key, subject}}, {.until = soon(), .subject = subject});
            if (!got) fail(method, got.error());
        }
    }

private:
    static mcp::ServerSpec spec(const std::string& url) {
        mcp::ServerSpec spec;
        spec.name = "suite";
        spec.url = url;
        spec.capabilities["elicitation"] = JsonObject{{"applyDefaults", true}};
        return spec;
    }
    static void answer(const Json& asked, mcp::CallOptions& options) {
        JsonObject answers;
        if (const JsonObject* requests = object_member(asked, "inputRequests"))
            for (const auto& [key, request] : *requests) {
                const Json* params = member(request, "params");
                answers[key] = accepted(params ? *params : Json());
            }
        options.input_responses = std::move(answers);
        options.request_state.reset();
        if (const auto state = string_member(asked, "requestState"))
            options.request_state = std::string(*state);
    }

    const std::unique_ptr<http::Client> http_;
    const std::shared_ptr<mcp::Client> client_;
    ToolList tools_;
};

void call_as_told(Player& player) {
    const char* context = std::getenv("MCP_CONFORMANCE_CONTEXT");
    const auto told = parse_json(context ? context : "{}");
    player.list();
    if (const JsonArray* calls = told ? array_member(*told, "toolCalls") : nullptr)
        for (const Json& each : *calls)
            player.call(*string_member(each, "name"), *member(each, "arguments"));
}

void see_everything(Player& player) {
    player.list();
    for (const auto& tool : player.tools().tools) player.call(tool.name);
    player.read_all("resources/list", "resources", "resources/read", "uri");
    player.read_all("prompts/list", "prompts", "prompts/get", "name");
}

void echo_schema(Player& player) {
    player.list();
    for (const auto& tool : player.tools().tools)
        if (tool.name == "json_schema_2020_12_tool")
            player.call("json_schema_echo", JsonObject{{"schema", tool.input_schema}});
}

using Scenario = void (*)(Player&);

const std::map<std::string, Scenario>& scenarios() {
    static const std::map<std::string, Scenario> all{
        {"tools_call",
         [](Player& player) {
             player.list();
             player.call("add_numbers", JsonObject{{"a", 2}, {"b", 40}});
         }},
        {"elicitation-sep1034-client-defaults",
         [](Player& player) {
             player.list();
             player.call("test_client_elicitation_defaults");
         }},
        {"sse-retry",
         [](Player& player) {
             player.list();
             player.call("test_reconnection");
         }},
        {"sep-2322-client-request-state",
         [](Player& player) {
             player.list();
             for (const char* tool : {"test_mrtr_echo_state", "test_mrtr_unrelated",
                                      "test_mrtr_no_state", "test_mrtr_no_result_type"})
                 player.call(tool);
         }},
        {"http-custom-headers", call_as_told},
        {"http-invalid-tool-headers",
         [](Player& player) {
             player.list();
             for (const auto& tool : player.tools().tools)
                 player.call(tool.name, JsonObject{{"region", "us-west1"}});
         }},
        {"http-standard-headers", see_everything},
        {"json-schema-2020-12-preservation", echo_schema},
    };
    return all;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const char* name = std::getenv("MCP_CONFORMANCE_SCENARIO");
    Player player(argv[1]);
    const auto scenario = scenarios().find(name ? name : "");
    if (scenario == scenarios().end())
        player.list(); // the rest of them looks at how a client connects
    else
        scenario->second(player);
    return 0;
}
