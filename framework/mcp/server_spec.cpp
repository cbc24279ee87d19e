#include "mcp/server_spec.hpp"

#include "mcp/rounds.hpp"

namespace foxwedge::mcp {

ServerSpec server_spec(const McpServerOptions& options, Millis start, Millis call) {
    ServerSpec spec;
    spec.name = options.name;
    spec.command.program = options.command;
    spec.command.args = options.args;
    for (const auto& [name, value] : options.env) spec.command.env.emplace_back(name, value);
    spec.command.cwd = options.cwd;
    spec.url = options.url;
    for (const auto& [name, value] : options.headers) spec.headers.emplace_back(name, value);
    spec.more_headers = options.more_headers;
    spec.timeout = options.timeout.value_or(call);
    spec.start_timeout = options.start_timeout.value_or(start);
    spec.probe_timeout = spec.start_timeout / 3;
    spec.roots = options.roots;
    spec.elicitation_hold = options.elicitation_hold;
    spec.resources = options.resources;
    spec.prompts = options.prompts;
    spec.log_level = options.log_level;
    spec.capabilities["elicitation"] = JsonObject{{"form", JsonObject()}, {"url", JsonObject()}};
    if (!options.sampling.empty()) spec.capabilities["sampling"] = JsonObject();
    spec.capabilities["extensions"] = JsonObject{{tasks_extension, JsonObject()}};
    return spec;
}

} // namespace foxwedge::mcp
