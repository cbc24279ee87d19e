// Tools that end a round with a question (2026-07-28) and go on in the next.
#include "fixture.hpp"

namespace conformance {
namespace {

Result<Json> ask_confirmation(Served& call) {
    return call.ask("confirm", "elicitation/create",
                    form("Please confirm", {{"ok", {{"type", "boolean"}}}}, {"ok"}));
}

Result<Json> ask_name(Served& call, const char* key, const char* message) {
    return call.ask(key, "elicitation/create",
                    form(message, {{"name", {{"type", "string"}}}}, {"name"}));
}

std::string name_in(const Json& answer) {
    const Json* content = foxwedge::member(answer, "content");
    return std::string(content ? foxwedge::string_member(*content, "name").value_or("") : "");
}

Result<ToolResult> remembers(const Json&, Served& call) {
    call.keep(Json{{"round", 1}});
    FOXWEDGE_CHECK(ask_confirmation(call));
    if (call.kept().is_null())
        return foxwedge::permanent("invalid_params", "requestState is missing");
    return foxwedge::text_result("state-ok");
}

/// All questions are asked in one round.
Result<ToolResult> asks_all(const Json&, Served& call) {
    call.keep(Json{{"round", 1}});
    const auto name = ask_name(call, "user_name", "What is your name?");
    const auto greeting =
        call.ask("greeting", "sampling/createMessage", sampling("Generate a greeting", 50));
    const auto roots = call.ask("client_roots", "roots/list", JsonObject());
    for (const auto* answer : {&name, &greeting, &roots})
        if (!*answer) return answer->error();
    return foxwedge::text_result(sampled_text(*greeting) + " " + name_in(*name) + " " +
                                 foxwedge::to_text(*roots));
}

Result<ToolResult> asks_twice(const Json&, Served& call) {
    std::string name(foxwedge::string_member(call.kept(), "name").value_or(""));
    if (name.empty()) {
        call.keep(Json{{"round", 1}});
        FOXWEDGE_TRY(answer, ask_name(call, "step1", "Step 1: What is your name?"));
        name = name_in(answer);
    }
    call.keep(Json{{"round", 2}, {"name", name}});
    FOXWEDGE_TRY(color, call.ask("step2", "elicitation/create",
                                 form("Step 2: What is your favorite color?",
                                      {{"color", {{"type", "string"}}}}, {"color"})));
    return foxwedge::text_result(name + " likes " + foxwedge::to_text(color));
}

/// Asks for nothing that the client has not declared.
Result<ToolResult> asks_what_it_may(const Json&, Served& call) {
    std::optional<foxwedge::Error> waits;
    if (call.can_ask("elicitation/create"))
        if (auto answer = ask_confirmation(call); !answer) waits = answer.error();
    if (call.can_ask("sampling/createMessage"))
        if (auto answer = call.ask("model", "sampling/createMessage", sampling("Hi", 10)); !answer)
            waits = answer.error();
    if (waits) return *waits;
    return foxwedge::text_result("asked what could be asked");
}

} // namespace

void add_input_required_tools(Service& service) {
    add_tool(service, "test_input_required_result_elicitation", "Asks for a name",
             [](auto&, Served& call) -> Result<ToolResult> {
                 FOXWEDGE_TRY(answer, ask_name(call, "user_name", "What is your name?"));
                 return foxwedge::text_result("Hello, " + name_in(answer) + "!");
             });
    add_tool(service, "test_input_required_result_sampling", "Asks the client's model",
             [](auto&, Served& call) -> Result<ToolResult> {
                 FOXWEDGE_TRY(answer, call.ask("capital_question", "sampling/createMessage",
                                               sampling("What is the capital of France?", 100)));
                 return foxwedge::text_result(sampled_text(answer));
             });
    add_tool(service, "test_input_required_result_list_roots", "Asks for the roots",
             [](auto&, Served& call) -> Result<ToolResult> {
                 FOXWEDGE_TRY(answer, call.ask("client_roots", "roots/list", JsonObject()));
                 return foxwedge::text_result(foxwedge::to_text(answer));
             });
    add_tool(service, "test_input_required_result_request_state", "Keeps a state", remembers);
    add_tool(service, "test_input_required_result_tampered_state", "Keeps a state", remembers);
    add_tool(service, "test_input_required_result_multiple_inputs", "Asks three things", asks_all);
    add_tool(service, "test_input_required_result_multi_round", "Asks twice", asks_twice);
    add_tool(service, "test_input_required_result_capabilities", "Asks what it may",
             asks_what_it_may);
}

} // namespace conformance
