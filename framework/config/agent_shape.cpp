#include "config/shapes.hpp"
#include "contracts/message.hpp"

namespace foxwedge::config {
namespace {

JsonObject no_schema() {
    return {};
}

Codec<Budget> budget() {
    static const auto shape = [] {
        auto s = std::make_shared<Shape<Budget>>();
        s->key("inputTokens", &Budget::input_tokens, big_integer(0),
               "tokens sent, those from a cache too")
            .key("outputTokens", &Budget::output_tokens, big_integer(0), "tokens received")
            .key("totalTokens", &Budget::total_tokens, big_integer(0), "both together")
            .key("usd", &Budget::usd, number(0), "money, by the table `prices`")
            .key("toolCalls", &Budget::tool_calls, big_integer(0), "tool calls that ran")
            .key("wallTime", &Budget::wall_time, duration(), "time, parked time not counted");
        return s;
    }();
    return object(ShapePtr<Budget>(shape));
}

void exactly_one_backing(Reading& r, const std::string& p, ToolOptions& tool) {
    if (!tool.use.empty()) {
        if (!tool.workflow.empty() || !tool.name.empty())
            r.problem(p, "`use` names an existing tool: it takes neither `name` nor `workflow`");
    } else if (tool.name.empty() || tool.workflow.empty()) {
        r.problem(p, "a tool defined here needs `name` and `workflow`; to add to a plugin's tool "
                     "write `use`");
    }
    if (!tool.app.empty() && tool.workflow.empty())
        r.problem(p + "/app", "`app` goes only with `workflow`");
    if (tool.requires_approval == false && tool.approval)
        r.problem(p, "`requiresApproval: false` and `approval` contradict each other");
}

ShapePtr<ToolOptions> tool_shape() {
    static const auto shape = [] {
        auto s = std::make_shared<Shape<ToolOptions>>();
        s->key("use", &ToolOptions::use, nonempty_text(), "a tool id, or <component>_*")
            .key("name", &ToolOptions::name, text(), "of a tool defined here: [A-Za-z0-9_-]{1,64}")
            .key("description", &ToolOptions::description, text(), "what the model reads")
            .key("inputSchema", &ToolOptions::input_schema, json_object(), "JSON Schema")
            .key("outputSchema", &ToolOptions::output_schema, json_object(), "JSON Schema")
            .key("workflow", &ToolOptions::workflow, nonempty_text(),
                 "an agent or workflow of this host, or of `app`")
            .key("app", &ToolOptions::app, nonempty_text(), "an entry of `apps`")
            .key("requiresApproval", &ToolOptions::requires_approval, boolean(),
                 "whether a person is asked; absent: the agent's default")
            .key("approval", &ToolOptions::approval, approval_rule(), "this tool's own rule")
            .key("toModelOutput", &ToolOptions::to_model_output, rule_text({"output"}),
                 "CEL over `output`: what the model reads of a result")
            .key("annotations", &ToolOptions::annotations, annotations(), "MCP's hints")
            .key("timeout", &ToolOptions::timeout, duration(), "of one attempt")
            .key("retry", &ToolOptions::retry, object(retry_shape()), "instead of the agent's")
            .key("effect",
                 {[](Reading& r, const Json& v, const std::string& p, ToolOptions& to) {
                      std::string word;
                      one_of({"none", "store", "idempotent", "once"}).read(r, v, p, word);
                      if (const auto effect = tool_effect(word)) to.effect = *effect;
                  },
                  [] {
                      return one_of({"none", "store", "idempotent", "once"}).schema();
                  }},
                 "what repeating it means; absent: from its annotations")
            .key("onInterrupted", &ToolOptions::on_interrupted, one_of({"retry", "ask", "fail"}),
                 "when its outcome is unknown")
            .key("parallelSafe", &ToolOptions::parallel_safe, boolean(),
                 "false: runs alone among a turn's calls")
            .key("limits", &ToolOptions::limits, json_object(),
                 "of the workflow tool's scripts, by the names of its plugin's `limits`: lower "
                 "ones only")
            .then(exactly_one_backing);
        return s;
    }();
    return shape;
}

Codec<ToolOptions> tool() {
    return {[](Reading& r, const Json& v, const std::string& p, ToolOptions& to) {
                if (v.is_string()) return nonempty_text().read(r, v, p, to.use);
                tool_shape()->read(r, v, p, to);
            },
            [] {
                return JsonObject{
                    {"anyOf", JsonArray{nonempty_text().schema(), tool_shape()->schema()}}};
            }};
}

ShapePtr<McpServerUse> server_use_shape() {
    static const auto shape = [] {
        auto s = std::make_shared<Shape<McpServerUse>>();
        s->key("name", &McpServerUse::name, nonempty_text(), "an entry of `mcpServers`")
            .required()
            .key("tools", &McpServerUse::tools, list(text()), "allow-list of the server's names")
            .key("requiresApproval", &McpServerUse::requires_approval, mcp_approval(),
                 "instead of the entry's")
            .key("optional", &McpServerUse::optional, boolean(), "a missing server adds no tools")
            .key("onToolError", &McpServerUse::on_tool_error, one_of({"fail", "return"}),
                 "whether isError fails the step or goes to the model");
        return s;
    }();
    return shape;
}

Codec<McpServerUse> server_use() {
    return {[](Reading& r, const Json& v, const std::string& p, McpServerUse& to) {
                if (v.is_string()) return nonempty_text().read(r, v, p, to.name);
                server_use_shape()->read(r, v, p, to);
            },
            [] {
                return JsonObject{
                    {"anyOf", JsonArray{nonempty_text().schema(), server_use_shape()->schema()}}};
            }};
}

ShapePtr<GuardrailUse> guardrail_shape() {
    static const auto shape = [] {
        auto s = std::make_shared<Shape<GuardrailUse>>();
        s->key("use", &GuardrailUse::use, nonempty_text(), "a guardrail component")
            .required()
            .key("name", &GuardrailUse::name, nonempty_text(), "in step names; default `use`")
            .key("config", &GuardrailUse::config, json_object(), "the component's own")
            .key("placements", &GuardrailUse::placements,
                 list(one_of({"input", "tool-args", "tool-result", "output", "tool-definition"})),
                 "only these of the placements that it wants")
            .key("onError", &GuardrailUse::on_error, one_of({"deny", "allow"}),
                 "what a check that fails or times out means");
        return s;
    }();
    return shape;
}

Codec<GuardrailUse> guardrail() {
    return {[](Reading& r, const Json& v, const std::string& p, GuardrailUse& to) {
                if (v.is_string()) {
                    nonempty_text().read(r, v, p, to.use);
                } else {
                    guardrail_shape()->read(r, v, p, to);
                }
                if (to.name.empty()) to.name = to.use;
                if (to.name.find(':') != std::string::npos)
                    r.problem(p, "a guardrail's name must not contain \":\"");
            },
            [] {
                return JsonObject{
                    {"anyOf", JsonArray{nonempty_text().schema(), guardrail_shape()->schema()}}};
            }};
}

Codec<Json> prompt() {
    return {[](Reading& r, const Json& v, const std::string& p, Json& to) {
                if (!v.is_string() && !v.is_array())
                    return r.problem(p, "expected a text or a list of messages");
                if (v.is_array())
                    if (const auto read = messages_from_json(v); !read)
                        return r.problem(p, read.error().message);
                to = v;
            },
            no_schema};
}

Codec<Json> tool_choice() {
    return {[](Reading& r, const Json& v, const std::string& p, Json& to) {
                const bool word = v.is_string() && (v == "auto" || v == "none" || v == "required");
                if (!word && !string_member(v, "name"))
                    return r.problem(
                        p, "expected \"auto\", \"none\", \"required\" or {\"name\": a tool}");
                to = v;
            },
            no_schema};
}

Codec<Json> context() {
    return {[](Reading& r, const Json& v, const std::string& p, Json& to) {
                json_object().read(r, v, p, to);
                if (v.is_object() && !string_member(v, "strategy"))
                    r.problem(p, "the key \"strategy\" is missing: count, token-budget, summarize "
                                 "or a component's id");
            },
            [] {
                return JsonObject{{"type", "object"}, {"required", JsonArray{"strategy"}}};
            }};
}

} // namespace

ShapePtr<AgentOptions> agent_shape() {
    static const auto shape = [] {
        auto s = std::make_shared<Shape<AgentOptions>>();
        s->key("provider", &AgentOptions::provider, nonempty_text(),
               "an entry of `providers` or a provider component; default: the host's `provider`")
            .key("model", &AgentOptions::model, nonempty_text(), "default: the provider entry's")
            .key("instructions", &AgentOptions::instructions, text(),
                 "system text; may use ${input.a.b}")
            .key("prompt", &AgentOptions::prompt, prompt(),
                 "the task: text or messages; may use ${input.a.b}; default: --prompt or the input")
            .key("tools", &AgentOptions::tools, list(tool()),
                 "tool ids, <component>_*, or objects with `use` or `workflow`")
            .key("mcpServers", &AgentOptions::mcp_servers, list(server_use()),
                 "names of entries, or {name, …} overriding them")
            .key("maxIterations", &AgentOptions::max_iterations, integer(1, 100000), "turns")
            .key("maxApprovals", &AgentOptions::max_approvals, integer(0, 100000),
                 "human decisions that it may ask for")
            .key("approval", &AgentOptions::approval, approval_rule(),
                 "the rule for tools that did not answer for themselves")
            .key("output", &AgentOptions::output, json_object(), "JSON Schema of the final value")
            .key("outputMode", &AgentOptions::output_mode, one_of({"native", "tool"}),
                 "how the shape is asked for")
            .key("validateOutput", &AgentOptions::validate_output, boolean(),
                 "whether the final value is checked")
            .key("context", &AgentOptions::context, context(), "what bounds the model's view")
            .key("guardrails", &AgentOptions::guardrails, list(guardrail()), "checked in order")
            .key("globalMemory", &AgentOptions::global_memory, boolean(),
                 "offers cross-session memory")
            .key("maxTokens", &AgentOptions::max_tokens, big_integer(1), "of one answer")
            .key("temperature", &AgentOptions::temperature, number(0), "the provider's own scale")
            .key("toolChoice", &AgentOptions::tool_choice, tool_choice(),
                 "auto, none, required or {name}")
            .key("providerOptions", &AgentOptions::provider_options, json_object(),
                 "passed to the provider as they are")
            .key("budget", &AgentOptions::budget, budget(), "for the run and all its children")
            .key("parallelToolCalls", &AgentOptions::parallel_tool_calls, integer(1, 256),
                 "bodies at a time; 1: one after another")
            .key("retry", &AgentOptions::retry, object(retry_shape()), "model and tool steps")
            .key("strictSchemas", &AgentOptions::strict_schemas, boolean(),
                 "drops a tool whose schema cannot be checked whole");
        return s;
    }();
    return shape;
}

} // namespace foxwedge::config
