#include "mcp/virtual_tools.hpp"

#include "mcp/tool_result.hpp"

namespace foxwedge::mcp {
namespace {

/// How one of the tools asks the server.
struct Virtual {
    const char *name, *description, *schema, *method, *capability;
    const char* subject; ///< the argument that the request is about, or null
};

constexpr Virtual all[] = {
    {"list_resources", "Lists the resources of this server: their URIs, names and descriptions.",
     R"({"type":"object","properties":{"cursor":{"type":"string"}},"additionalProperties":false})",
     "resources/list", "resources", nullptr},
    {"read_resource", "Reads one resource of this server by its URI.",
     R"({"type":"object","properties":{"uri":{"type":"string"}},"required":["uri"],
         "additionalProperties":false})",
     "resources/read", "resources", "uri"},
    {"list_prompts", "Lists the prompts of this server and their arguments.",
     R"({"type":"object","properties":{"cursor":{"type":"string"}},"additionalProperties":false})",
     "prompts/list", "prompts", nullptr},
    {"get_prompt", "Gets a prompt of this server, filled in with arguments.",
     R"({"type":"object","properties":{"name":{"type":"string"},
         "arguments":{"type":"object","additionalProperties":{"type":"string"}}},
         "required":["name"],"additionalProperties":false})",
     "prompts/get", "prompts", "name"}};

const Virtual* virtual_tool(std::string_view name) {
    for (const auto& each : all)
        if (name == each.name) return &each;
    return nullptr;
}

bool allows(const ServerSpec& spec, const Virtual& tool) {
    return std::string_view(tool.capability) == "resources" ? spec.resources : spec.prompts;
}

ToolDefinition definition_of(const Virtual& from) {
    ToolDefinition tool;
    tool.name = from.name;
    tool.description = from.description;
    tool.input_schema = *parse_json(from.schema);
    tool.annotations.read_only = true;
    tool.effect = ToolEffect::none;
    return tool;
}

/// The contents of a resource as blocks, where they are; else the whole answer as text.
ToolResult shown(const Json& result) {
    const JsonArray* contents = array_member(result, "contents");
    if (!contents) return text_result(to_text(result));
    ToolResult out;
    for (const Json& each : *contents) {
        JsonObject block{{"type", "resource"}};
        block["resource"] = each;
        if (const auto text = string_member(each, "text"))
            block = JsonObject{{"type", "text"}, {"text", *text}};
        out.content.push_back(std::move(block));
    }
    return out;
}

} // namespace

std::vector<ToolDefinition> virtual_tools(const ServerSpec& spec, const Session& session) {
    std::vector<ToolDefinition> tools;
    for (const auto& each : all)
        if (allows(spec, each) && session.offers(each.capability))
            tools.push_back(definition_of(each));
    return tools;
}

bool is_virtual_tool(const ServerSpec& spec, std::string_view name) {
    const Virtual* tool = virtual_tool(name);
    return tool && allows(spec, *tool);
}

Result<ToolResult> run_virtual_tool(Client& client, std::string_view name,
                                    std::string_view arguments_json, const Until& until) {
    const Virtual& tool = *virtual_tool(name);
    FOXWEDGE_TRY(arguments, parse_json(arguments_json.empty() ? "{}" : arguments_json));
    if (!arguments.is_object()) return error_result("invalid_params", "arguments are an object");
    RequestOptions options;
    options.until = until;
    options.quiet = client.spec().timeout;
    if (tool.subject) options.subject = string_member(arguments, tool.subject).value_or("");
    FOXWEDGE_TRY(reply, client.request(tool.method, arguments.get_object(), options));
    if (reply.error &&
        (reply.error->code == rpc::invalid_params || reply.error->code == rpc::resource_not_found))
        return error_result("invalid_params", reply.error->message);
    if (reply.error) return read_tool_error(*reply.error);
    return shown(reply.result);
}

} // namespace foxwedge::mcp
