#include "fixture.hpp"

namespace conformance {
namespace {

using foxwedge::mcp::ServedPrompt;
using foxwedge::mcp::ServedResource;

Json message(Json content) {
    return {{"role", "user"}, {"content", std::move(content)}};
}
Json text(std::string what) {
    return {{"type", "text"}, {"text", std::move(what)}};
}
Json messages(JsonArray all) {
    return {{"messages", std::move(all)}};
}
std::string argument(const Json& arguments, const char* name) {
    return std::string(foxwedge::string_member(arguments, name).value_or(""));
}
Json required(const char* name, const char* description) {
    return {{"name", name}, {"description", description}, {"required", true}};
}

void add_resource(Service& service, const char* uri, const char* name, const char* type,
                  const char* member, const char* value) {
    service.add(ServedResource{
        Json{{"uri", uri}, {"name", name}, {"description", "For testing"}, {"mimeType", type}},
        [type, member, value](std::string_view which, const Json&, Served&) -> Result<JsonArray> {
            return JsonArray{JsonObject{{"uri", which}, {"mimeType", type}, {member, value}}};
        }});
}

void add_prompts(Service& service) {
    service.add(
        ServedPrompt{Json{{"name", "test_simple_prompt"}, {"description", "Takes no arguments"}},
                     [](const Json&, Served&) -> Result<Json> {
                         return messages({message(text("This is a simple prompt for testing."))});
                     }});
    service.add(ServedPrompt{
        Json{{"name", "test_prompt_with_arguments"},
             {"description", "Takes two arguments"},
             {"arguments", JsonArray{required("arg1", "First test argument"),
                                     required("arg2", "Second test argument")}}},
        [](const Json& arguments, Served&) -> Result<Json> {
            return messages(
                {message(text("Prompt with arguments: arg1='" + argument(arguments, "arg1") +
                              "', arg2='" + argument(arguments, "arg2") + "'"))});
        }});
    service.add(ServedPrompt{
        Json{{"name", "test_prompt_with_embedded_resource"},
             {"description", "Embeds a resource"},
             {"arguments", JsonArray{required("resourceUri", "URI of the resource to embed")}}},
        [](const Json& arguments, Served&) -> Result<Json> {
            return messages({message({{"type", "resource"},
                                      {"resource",
                                       {{"uri", argument(arguments, "resourceUri")},
                                        {"mimeType", "text/plain"},
                                        {"text", "Embedded resource content for testing."}}}}),
                             message(text("Please process the embedded resource above."))});
        }});
    service.add(ServedPrompt{
        Json{{"name", "test_prompt_with_image"}, {"description", "Holds a picture"}},
        [](const Json&, Served&) -> Result<Json> {
            return messages(
                {message({{"type", "image"}, {"data", red_pixel}, {"mimeType", "image/png"}}),
                 message(text("Please analyze the image above."))});
        }});
    service.add(ServedPrompt{
        Json{{"name", "test_input_required_result_prompt"}, {"description", "Asks first"}},
        [](const Json&, Served& call) -> Result<Json> {
            FOXWEDGE_TRY(answer, call.ask("user_context", "elicitation/create",
                                          form("What context should the prompt use?",
                                               {{"context", {{"type", "string"}}}}, {"context"})));
            return messages({message(text("Context: " + foxwedge::to_text(answer)))});
        }});
}

} // namespace

void add_prompts_and_resources(Service& service) {
    add_prompts(service);
    add_resource(service, "test://static-text", "static-text", "text/plain", "text",
                 "This is the content of the static text resource.");
    add_resource(service, "test://static-binary", "static-binary", "image/png", "blob", red_pixel);
    add_resource(service, "test://watched-resource", "watched-resource", "text/plain", "text",
                 "Watched.");
    service.add(ServedResource{
        Json{{"uriTemplate", "test://template/{id}/data"},
             {"name", "template"},
             {"description", "Takes an id"},
             {"mimeType", "application/json"}},
        [](std::string_view uri, const Json& variables, Served&) -> Result<JsonArray> {
            const std::string id = argument(variables, "id");
            return JsonArray{JsonObject{
                {"uri", uri},
                {"mimeType", "application/json"},
                {"text",
                 foxwedge::to_text(JsonObject{
                     {"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}})}}};
        }});
    service.complete_with([](const Json&, Served&) -> Result<Json> {
        return Json{{"values", JsonArray{"paris", "park", "party"}}, {"hasMore", false}};
    });
}

} // namespace conformance
