#include "config/shapes.hpp"

namespace foxwedge::config {
namespace {

using Answer = McpApproval::Answer;

std::optional<Answer> read_answer(Reading& r, const Json& v, const std::string& p) {
    if (v.is_null()) return std::nullopt;
    if (v.is_bool()) return Answer{v.get_bool()};
    ApprovalRule rule;
    approval_rule().read(r, v, p, rule);
    return Answer{std::move(rule)};
}

/// An object is a rule if it has only a rule's keys, else answers by tool name.
bool is_rule(const Json& v) {
    const auto known = approval_rule_shape()->schema();
    const auto& keys = known.at("properties").get_object();
    for (const auto& [name, part] : v.get_object())
        if (!keys.contains(name)) return false;
    return !v.get_object().empty();
}

} // namespace

Codec<McpApproval> mcp_approval() {
    return {[](Reading& r, const Json& v, const std::string& p, McpApproval& to) {
                if (v.is_string()) {
                    rule_text({"tool"}).read(r, v, p, to.predicate);
                } else if (v.is_object() && !is_rule(v)) {
                    for (const auto& [name, part] : v.get_object())
                        to.by_tool[std::string(name)] =
                            read_answer(r, part, pointer_append(p, name));
                } else {
                    to.all = read_answer(r, v, p);
                }
            },
            [] {
                return JsonObject{{"anyOf", JsonArray{JsonObject{{"type", "boolean"}},
                                                      JsonObject{{"type", "string"}},
                                                      JsonObject{{"type", "object"}}}}};
            }};
}

ShapePtr<McpServerOptions> mcp_server_shape() {
    static const auto shape = [] {
        using M = McpServerOptions;
        static constexpr auto not_taken = "ignored: approval is never taken from a pasted block; "
                                          "use requiresApproval or the catalogue `tools`";
        auto s = std::make_shared<Shape<M>>();
        s->key("command", &M::command, nonempty_text(), "the program of a stdio server")
            .key("args", &M::args, list(text()), "its arguments")
            .key("env", &M::env, map_of(text()), "added to a minimal base; ${secret:NAME} allowed")
            .key("cwd", &M::cwd, nonempty_text(), "relative to this file")
            .key("url", &M::url, nonempty_text(), "of a Streamable HTTP server")
            .key("headers", &M::headers, map_of(text()), "${secret:NAME} allowed")
            .key(
                "type",
                {[](Reading& r, const Json& v, const std::string& p, M& to) {
                     std::string word;
                     one_of({"stdio", "http", "streamable-http", "streamableHttp"})
                         .read(r, v, p, word);
                     if (!word.empty() && (word == "stdio") != to.url.empty() && !to.url.empty())
                         r.problem(p, "\"stdio\" does not go with `url`");
                 },
                 [] {
                     return one_of({"stdio", "http", "streamable-http", "streamableHttp"}).schema();
                 }},
                "checked against command or url")
            .key(
                "transport",
                {[](Reading& r, const Json& v, const std::string& p, M&) {
                     std::string word;
                     one_of({"stdio", "http", "streamable-http", "streamableHttp"})
                         .read(r, v, p, word);
                 },
                 [] {
                     return one_of({"stdio", "http", "streamable-http", "streamableHttp"}).schema();
                 }},
                "as `type`")
            .key("disabled", &M::disabled, boolean(), "true: as if it were not there")
            .ignored("autoApprove", not_taken)
            .ignored("alwaysAllow", not_taken)
            .ignored("description", "ignored: for other clients' users")
            .key("tools", &M::tools, list(text()), "allow-list of the server's own names")
            .key("requiresApproval", &M::requires_approval, mcp_approval(),
                 "true, false, a rule, by tool name, or CEL over `tool`")
            .key("timeout", &M::timeout, duration(), "of one call; progress extends it")
            .key("startTimeout", &M::start_timeout, duration(), "until the handshake is done")
            .key("optional", &M::optional, boolean(), "a missing server adds no tools")
            .key("onToolError", &M::on_tool_error, one_of({"fail", "return"}),
                 "whether isError fails the step or goes to the model")
            .key("scope", &M::scope, one_of({"host", "run"}), "\"run\" gives each run its own")
            .key("elicitationHold", &M::elicitation_hold, duration(),
                 "how long a call is held open for a person")
            .key("sampling", &M::sampling, nonempty_text(), "a provider that may answer the server")
            .key("logLevel", &M::log_level,
                 one_of({"off", "debug", "info", "notice", "warning", "error", "critical", "alert",
                         "emergency"}),
                 "how much of its log the server is asked for")
            .key("roots", &M::roots, list(text()),
                 "folders shown to the server: paths, relative to this file, or file URIs")
            .key("resources", &M::resources, boolean(), "its resources as a tool")
            .key("prompts", &M::prompts, boolean(), "its prompts as a tool")
            .then([](Reading& r, const std::string& p, M& server) {
                if (server.command.empty() == server.url.empty())
                    r.problem(p, "a server needs either `command` or `url`");
                if (!server.url.empty() && server.url.rfind("http://", 0) != 0 &&
                    server.url.rfind("https://", 0) != 0)
                    r.problem(p + "/url", "must start with http:// or https://");
            });
        return s;
    }();
    return shape;
}

} // namespace foxwedge::config
