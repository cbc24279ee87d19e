// Options of agents, tools, approval rules and MCP servers: the one set of structs that the config
// reader and the C++ builders fill. Meaning and defaults: docs/agents, docs/config.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/retry.hpp"
#include "contracts/tool.hpp"

namespace foxwedge {

/// When a person is asked, and what they are shown.
struct ApprovalRule {
    struct Level {
        std::string condition; ///< CEL
        std::string level;
    };
    std::variant<std::string, std::vector<Level>> risk; ///< "", a level, or first-true-wins
    std::string summary; ///< may use ${tool} ${risk} ${iteration} ${args.a.b}
    std::vector<std::string> allow{"approve", "reject", "edit"};
    std::optional<Millis> timeout;
    std::string on_timeout = "reject";
    std::string condition; ///< `if`: CEL; "" for none
    std::string min_risk;  ///< "" for none
    bool shadow = false;
};
Json to_json(const ApprovalRule&);
Result<ApprovalRule> approval_rule_from_json(const Json&, std::string_view pointer = "");

struct Budget {
    std::optional<std::int64_t> input_tokens, output_tokens, total_tokens, tool_calls;
    std::optional<double> usd;
    std::optional<Millis> wall_time;
};

/// A tool as an agent's options name or define it.
struct ToolOptions {
    std::string use;  ///< a tool id or "<component>_*"; "" for a workflow-backed or C++ tool
    std::string name; ///< of a tool defined here
    std::string description;
    Json input_schema, output_schema; ///< null: default
    std::string workflow, app;
    std::optional<bool> requires_approval;
    std::optional<ApprovalRule> approval;
    std::string to_model_output; ///< CEL over `output`; "" for none
    ToolAnnotations annotations;
    std::optional<Millis> timeout;
    std::optional<RetryPolicy> retry;
    ToolEffect effect = ToolEffect::unstated;
    std::string on_interrupted; ///< "", "retry", "ask", "fail"
    std::optional<bool> parallel_safe;
    Json limits; ///< of scripts that this agent calls for: lower ones than the plugin's; or null
};

/// `requiresApproval` of an MCP server.
struct McpApproval {
    /// true, false, a rule, or per raw tool name ("*": the rest); absent: silence
    using Answer = std::variant<bool, ApprovalRule>;
    std::optional<Answer> all;
    std::map<std::string, std::optional<Answer>> by_tool;
    std::string predicate; ///< CEL over `tool`
};

using HeaderFields = std::vector<std::pair<std::string, std::string>>; ///< name, value

struct McpServerOptions {
    std::string name;
    std::string command; ///< stdio …
    std::vector<std::string> args;
    std::map<std::string, std::string> env; ///< values may hold ${secret:…}
    std::string cwd;
    std::string url; ///< … or HTTP
    std::map<std::string, std::string> headers;
    /// Further header fields, asked for anew in each step that uses the connection, discovery too,
    /// and never recorded. From C++ only.
    std::function<Result<HeaderFields>()> more_headers;
    std::optional<std::vector<std::string>> tools; ///< allow-list of raw names
    McpApproval requires_approval;
    std::optional<Millis> timeout, start_timeout; ///< default: the host's `limits`
    Millis elicitation_hold{600'000};
    bool optional = false, resources = false, prompts = false, disabled = false;
    std::string on_tool_error = "fail"; ///< or "return"
    std::string scope = "host";         ///< or "run"
    std::string sampling;               ///< provider name, or ""
    std::string log_level = "info";     ///< from here on a server's log goes into ours; or "off"
    std::vector<std::string> roots;
};

/// An agent's use of a host-level server, with what it overrides.
struct McpServerUse {
    std::string name;
    std::optional<std::vector<std::string>> tools;
    std::optional<McpApproval> requires_approval;
    std::optional<bool> optional;
    std::optional<std::string> on_tool_error;
};

struct GuardrailUse {
    std::string use;  ///< component id
    std::string name; ///< in step names; default `use`
    Json config;      ///< object or null
    std::optional<std::vector<std::string>> placements;
    std::string on_error = "deny"; ///< or "allow"
};

/// A tool id's entry in the host's catalogue.
struct CatalogueEntry {
    bool enabled = true;
    bool auto_approve = false;
    std::optional<ApprovalRule> approval;
};

struct AgentOptions {
    std::string provider, model, instructions;
    Json prompt; ///< null, a string, or messages
    std::vector<ToolOptions> tools;
    std::vector<McpServerUse> mcp_servers;
    int max_iterations = 10;
    std::optional<int> max_approvals;
    std::optional<ApprovalRule> approval;
    Json output;                        ///< JSON Schema or null
    std::string output_mode = "native"; ///< or "tool"
    bool validate_output = true;
    Json context; ///< {"strategy", …} or null
    std::vector<GuardrailUse> guardrails;
    bool global_memory = false;
    std::optional<std::int64_t> max_tokens;
    std::optional<double> temperature;
    Json tool_choice = "auto";
    Json provider_options;
    std::optional<Budget> budget;
    int parallel_tool_calls = 10;
    std::optional<RetryPolicy> retry;
    bool strict_schemas = false;
};

} // namespace foxwedge
