// The server under test: everything that the official suite asks for.
//   conformance-server          over HTTP: prints its URL and serves until its standard input ends
//   conformance-server stdio    over its own pipes
#include <cstdio>
#include <unistd.h>

#include "fixture.hpp"
#include "mcp/serve_http.hpp"
#include "mcp/serve_stdio.hpp"

namespace conformance {

void add_tool(Service& service, const char* name, const char* description, Run run,
              Json input_schema) {
    foxwedge::mcp::ServedTool tool;
    tool.definition.name = name;
    tool.definition.description = description;
    tool.definition.input_schema = std::move(input_schema);
    tool.run = std::move(run);
    if (const auto added = service.add(std::move(tool)); !added) {
        std::fprintf(stderr, "%s: %s\n", name, added.error().message.c_str());
        std::abort();
    }
}

Json form(std::string message, JsonObject properties, JsonArray required) {
    JsonObject schema{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) schema["required"] = std::move(required);
    return {{"message", std::move(message)}, {"requestedSchema", std::move(schema)}};
}

Json sampling(std::string prompt, int max_tokens) {
    return {{"messages",
             JsonArray{JsonObject{{"role", "user"},
                                  {"content", {{"type", "text"}, {"text", std::move(prompt)}}}}}},
            {"maxTokens", max_tokens}};
}

std::string sampled_text(const Json& result) {
    const Json* content = foxwedge::member(result, "content");
    return std::string(content ? foxwedge::string_member(*content, "text").value_or("") : "");
}

} // namespace conformance

int main(int argc, char** argv) {
    foxwedge::mcp::Service service("foxwedge-conformance", "1.0.0");
    conformance::add_content_tools(service);
    conformance::add_conversation_tools(service);
    conformance::add_input_required_tools(service);
    conformance::add_prompts_and_resources(service);
    if (argc > 1 && std::string_view(argv[1]) == "stdio") {
        foxwedge::mcp::serve_stdio(service);
        return 0;
    }
    auto server = foxwedge::mcp::serve_http(service, {});
    if (!server) {
        std::fprintf(stderr, "%s\n", server.error().message.c_str());
        return 1;
    }
    std::printf("%s\n", (*server)->url().c_str());
    std::fflush(stdout);
    char byte = 0;
    while (::read(0, &byte, 1) > 0) {
    }
    return 0;
}
