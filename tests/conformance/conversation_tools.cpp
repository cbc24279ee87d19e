// Tools that ask the client in the middle of a call.
#include "fixture.hpp"

namespace conformance {
namespace {

JsonObject parsed(const char* text) {
    return foxwedge::parse_json(text)->get_object();
}

Json property(const char* type, const char* description) {
    return {{"type", type}, {"description", description}};
}

Run elicits(std::string prefix, std::function<Json(const Json& arguments)> params) {
    return [prefix, params](const Json& arguments, Served& call) -> Result<ToolResult> {
        FOXWEDGE_TRY(answer, call.ask("answer", "elicitation/create", params(arguments)));
        const Json* given = foxwedge::member(answer, "content");
        return foxwedge::text_result(
            prefix +
            "action=" + std::string(foxwedge::string_member(answer, "action").value_or("")) +
            ", content=" + foxwedge::to_text(given ? *given : Json(JsonObject())));
    };
}

Json defaults() {
    return form("Please confirm", parsed(R"({
      "name": {"type": "string", "default": "John Doe"},
      "age": {"type": "integer", "default": 30},
      "score": {"type": "number", "default": 95.5},
      "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
      "verified": {"type": "boolean", "default": true}})"),
                {});
}

Json enums() {
    return form("Please choose", parsed(R"({
      "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
      "titledSingle": {"type": "string", "oneOf": [
        {"const": "value1", "title": "First Option"},
        {"const": "value2", "title": "Second Option"},
        {"const": "value3", "title": "Third Option"}]},
      "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"]},
      "untitledMulti": {"type": "array", "minItems": 1, "maxItems": 3,
        "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
      "titledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"anyOf": [
        {"const": "value1", "title": "First Choice"},
        {"const": "value2", "title": "Second Choice"},
        {"const": "value3", "title": "Third Choice"}]}}})"),
                {});
}

Json one_text_argument(const char* name) {
    return {{"type", "object"},
            {"properties", {{name, {{"type", "string"}}}}},
            {"required", JsonArray{name}}};
}

} // namespace

void add_conversation_tools(Service& service) {
    add_tool(
        service, "test_sampling", "Asks the client's model",
        [](const Json& arguments, Served& call) -> Result<ToolResult> {
            const std::string prompt(foxwedge::string_member(arguments, "prompt").value_or(""));
            FOXWEDGE_TRY(answer,
                         call.ask("answer", "sampling/createMessage", sampling(prompt, 100)));
            return foxwedge::text_result("LLM response: " + sampled_text(answer));
        },
        one_text_argument("prompt"));
    add_tool(
        service, "test_elicitation", "Asks the client's user",
        elicits("User response: ",
                [](const Json& arguments) {
                    return form(
                        std::string(foxwedge::string_member(arguments, "message").value_or("")),
                        {{"username", property("string", "User's response")},
                         {"email", property("string", "User's email address")}},
                        {"username", "email"});
                }),
        one_text_argument("message"));
    add_tool(service, "test_elicitation_sep1034_defaults", "Asks with defaults",
             elicits("Elicitation completed: ", [](const Json&) { return defaults(); }));
    add_tool(service, "test_elicitation_sep1330_enums", "Asks with every kind of choice",
             elicits("Elicitation completed: ", [](const Json&) { return enums(); }));
    add_tool(service, "test_streaming_elicitation", "Reports progress and asks",
             [](auto&, Served& call) -> Result<ToolResult> {
                 call.progress(1, 2, "asking");
                 FOXWEDGE_CHECK(call.ask("go_on", "elicitation/create",
                                         form("Go on?", {{"ok", {{"type", "boolean"}}}}, {"ok"})));
                 return foxwedge::text_result("went on");
             });
    add_tool(service, "test_missing_capability", "Needs a client that samples",
             [](auto&, Served& call) -> Result<ToolResult> {
                 FOXWEDGE_CHECK(call.ask("answer", "sampling/createMessage", sampling("Hi", 10)));
                 return foxwedge::text_result("sampled");
             });
}

} // namespace conformance
