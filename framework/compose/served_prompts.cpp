#include "compose/served_prompts.hpp"

#include <set>

#include "agent/prompt.hpp"
#include "base/text.hpp"

namespace foxwedge::compose {
namespace {

/// How a path is called as an argument.
std::string argument_name(const std::string& path) {
    return path.empty() ? "input" : path;
}

/// The input that the arguments of a prompt stand for.
Json input_of(const std::set<std::string>& paths, const Json& arguments) {
    if (paths.count(""))
        if (const auto whole = string_member(arguments, "input")) return Json(*whole);
    Json input = JsonObject();
    for (const auto& path : paths) {
        const auto given = string_member(arguments, argument_name(path));
        if (path.empty() || !given) continue;
        Json* here = &input;
        for (const auto part : split(path, '.')) {
            if (!here->is_object()) *here = JsonObject();
            here = &here->get_object()[boost::json::string_view(part.data(), part.size())];
        }
        *here = *given;
    }
    return input;
}

JsonArray messages_of(const std::vector<Message>& task) {
    JsonArray messages;
    for (const auto& message : task) {
        const char* role = message.role == Role::assistant ? "assistant" : "user";
        for (const auto& block : message.content) {
            JsonObject one{{"role", role}};
            one["content"] = to_json(block);
            messages.push_back(std::move(one));
        }
    }
    return messages;
}

Result<Json> filled(const AgentOptions& agent, const std::set<std::string>& paths,
                    const Json& arguments) {
    AgentOptions options;
    options.prompt = agent.prompt;
    if (auto done = agent::fill_input(options, input_of(paths, arguments)); !done)
        return permanent("invalid_params", done.error().message);
    FOXWEDGE_TRY(task, agent::task_of(options, "null"));
    JsonObject got;
    got["messages"] = messages_of(task);
    return Json(std::move(got));
}

} // namespace

void serve_prompts(const config::HostConfig& config, mcp::Service& service) {
    for (const auto& [name, agent] : config.agents) {
        if (agent.prompt.is_null()) continue;
        std::set<std::string> paths;
        agent::add_input_paths(agent.prompt, paths);
        JsonArray arguments;
        for (const auto& path : paths)
            arguments.push_back(JsonObject{{"name", argument_name(path)}, {"required", true}});
        JsonObject listed{{"name", name}, {"description", "The task of the agent " + name}};
        listed["arguments"] = std::move(arguments);
        service.add(mcp::ServedPrompt{Json(std::move(listed)),
                                      [&agent = agent, paths](const Json& given, mcp::Served&) {
                                          return filled(agent, paths, given);
                                      }});
    }
}

} // namespace foxwedge::compose
