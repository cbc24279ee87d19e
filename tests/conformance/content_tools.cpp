// Tools that answer, report and fail.
#include <thread>

#include "fixture.hpp"

namespace conformance {
namespace {

using std::chrono::milliseconds;

ToolResult content(JsonArray blocks) {
    ToolResult result;
    result.content = std::move(blocks);
    return result;
}

Json picture() {
    return {{"type", "image"}, {"data", red_pixel}, {"mimeType", "image/png"}};
}

Json resource(const char* uri, const char* type, const char* text) {
    return {{"type", "resource"}, {"resource", {{"uri", uri}, {"mimeType", type}, {"text", text}}}};
}

/// The suite wants its messages apart from each other.
void pause() {
    std::this_thread::sleep_for(milliseconds(50));
}

Json rich_schema() {
    return *foxwedge::parse_json(R"({
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "$defs": {"address": {"$anchor": "addressDef", "type": "object",
        "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
      "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"}},
      "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
      "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
      "then": {"required": ["phone"]},
      "else": {"required": ["email"]},
      "additionalProperties": false})");
}

} // namespace

void add_content_tools(Service& service) {
    add_tool(service, "test_simple_text", "Answers with text", [](auto&, auto&) {
        return foxwedge::text_result("This is a simple text response for testing.");
    });
    add_tool(service, "test_image_content", "Answers with a picture",
             [](auto&, auto&) { return content({picture()}); });
    add_tool(service, "test_audio_content", "Answers with a sound", [](auto&, auto&) {
        return content({{{"type", "audio"},
                         {"data", "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="},
                         {"mimeType", "audio/wav"}}});
    });
    add_tool(service, "test_embedded_resource", "Answers with a resource", [](auto&, auto&) {
        return content({resource("test://embedded-resource", "text/plain",
                                 "This is an embedded resource content.")});
    });
    add_tool(service, "test_multiple_content_types", "Answers with all of it", [](auto&, auto&) {
        return content({{{"type", "text"}, {"text", "Multiple content types test:"}},
                        picture(),
                        resource("test://mixed-content-resource", "application/json",
                                 R"({"test":"data","value":123})")});
    });
    const auto with_logging = [](auto&, Served& call) -> Result<ToolResult> {
        for (const char* text :
             {"Tool execution started", "Tool processing data", "Tool execution completed"}) {
            call.log("info", text);
            pause();
        }
        return foxwedge::text_result("Logged three times.");
    };
    add_tool(service, "test_tool_with_logging", "Writes to the client's log", with_logging);
    add_tool(service, "test_logging_tool", "Writes to the client's log where it wants that",
             with_logging);
    add_tool(service, "test_tool_with_progress", "Reports progress",
             [](auto&, Served& call) -> Result<ToolResult> {
                 for (const double done : {0., 50., 100.}) {
                     call.progress(done, 100, "");
                     pause();
                 }
                 return foxwedge::text_result("Reported three times.");
             });
    add_tool(service, "test_error_handling", "Always fails",
             [](auto&, auto&) -> Result<ToolResult> {
                 return foxwedge::permanent("test",
                                            "This tool intentionally returns an error for testing");
             });
    add_tool(service, "test_reconnection", "Answers once the client has come back",
             [](auto&, Served& call) -> Result<ToolResult> {
                 call.hang_up(milliseconds(100));
                 return foxwedge::text_result("Welcome back.");
             });
    add_tool(
        service, "json_schema_2020_12_tool", "Has a schema of many keywords",
        [](auto&, auto&) { return foxwedge::text_result("It fits."); }, rich_schema());
    add_tool(
        service, "test_header_params", "Repeats an argument in a header field",
        [](const Json& arguments, auto&) {
            return foxwedge::text_result(
                std::string(foxwedge::string_member(arguments, "region").value_or("")));
        },
        *foxwedge::parse_json(
            R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}})"));
    const auto change = [&service](bool prompt) -> Run {
        return [&service, prompt](auto&, auto&) -> Result<ToolResult> {
            if (prompt) {
                service.add(foxwedge::mcp::ServedPrompt{
                    Json{{"name", "passing"}, {"description", "Comes and goes"}},
                    [](auto&, auto&) -> Result<Json> {
                        return Json{{"messages", JsonArray()}};
                    }});
                service.remove_prompt("passing");
            } else {
                add_tool(service, "passing", "Comes and goes",
                         [](auto&, auto&) { return foxwedge::text_result("gone"); });
                service.remove_tool("passing");
            }
            return foxwedge::text_result("changed");
        };
    };
    add_tool(service, "test_trigger_tool_change", "Changes the list of tools", change(false));
    add_tool(service, "test_trigger_prompt_change", "Changes the list of prompts", change(true));
}

} // namespace conformance
