// What the official conformance suite expects of a server, registered through the public API.
#pragma once
#include "mcp/service.hpp"

namespace conformance {

using foxwedge::Json;
using foxwedge::JsonArray;
using foxwedge::JsonObject;
using foxwedge::Result;
using foxwedge::Status;
using foxwedge::ToolResult;
using foxwedge::mcp::Served;
using foxwedge::mcp::Service;

/// A one-pixel picture, base64.
inline constexpr const char* red_pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJg"
    "gg==";

using Run = std::function<Result<ToolResult>(const Json& arguments, Served&)>;
void add_tool(Service&, const char* name, const char* description, Run,
              Json input_schema = {{"type", "object"}, {"properties", JsonObject()}});

/// What `schema` asks of a person, as params of elicitation/create.
Json form(std::string message, JsonObject properties, JsonArray required);
/// Params of sampling/createMessage with one text from the user.
Json sampling(std::string prompt, int max_tokens);
/// The text of a sampling result.
std::string sampled_text(const Json& result);

void add_content_tools(Service&);
void add_conversation_tools(Service&);
void add_input_required_tools(Service&);
void add_prompts_and_resources(Service&);

} // namespace conformance
