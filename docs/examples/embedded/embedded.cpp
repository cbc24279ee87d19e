// A host of its own: a durable agent with a tool written in C++, around a config file.
//
//   c++ embedded.cpp $(pkg-config --cflags --libs foxwedge) -o embedded
//   ./embedded host.json "Why was I charged twice?"
#include <iostream>

#include <foxwedge/foxwedge.hpp>

using namespace foxwedge;

namespace {

agent::Tool search_policy() {
    return agent::tool(
        {.name = "search-policy",
         .description = "Finds the policy that applies to a topic",
         .input_schema = *parse_json(R"({"type": "object", "required": ["topic"],
                                                        "properties": {"topic": {"type": "string"}}})")},
        [](const JsonObject& arguments) -> Result<Json> {
            return Json{{"topic", arguments.at("topic")}, {"policy", "refund the second charge"}};
        });
}

int fail(const Error& error) {
    std::cerr << error.message << " [" << error.code << "]\n";
    return 1;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) return fail(permanent("usage", "usage: embedded CONFIG QUESTION"));
    auto loaded = config::load(argv[1]);
    if (!loaded.config) return fail(permanent("config", config::to_text(loaded.problems)));
    auto host = compose::Host::make(std::move(*loaded.config), {});
    if (!host) return fail(host.error());

    // Every model and tool call in here is a step: killed and resumed, none is done twice.
    const agent::Agent support{.options = {.instructions = "Look up the policy before you answer."},
                               .tools = {search_policy()}};
    const Status defined = (*host)->define_workflow(
        {.name = "answer",
         .tools = agent::tool_manifest(support),
         .handler = [&](run::Run& run) -> Result<Json> {
             FOXWEDGE_TRY(result, agent::agent(run, "support", support, (*host)->world()));
             return agent::to_json(result);
         }});
    if (!defined) return fail(defined.error());

    auto started = (*host)->start({.name = "answer", .input_json = quoted(argv[2])});
    if (!started) return fail(started.error());
    auto finished = (*host)->execute(started->run, {});
    if (!finished) return fail(finished.error());
    if (finished->error) return fail(*finished->error);
    std::cout << finished->outcome.value_json << '\n';
}
