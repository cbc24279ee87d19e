// Tools and where they come from: plugins, MCP servers, C++ handlers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "contracts/call.hpp"
#include "contracts/message.hpp"

namespace foxwedge {

/// What repeating a tool means.
enum class ToolEffect : std::uint8_t { unstated, none, store, idempotent, once };
const char* to_string(ToolEffect) noexcept;
std::optional<ToolEffect> tool_effect(std::string_view);

/// MCP's hints. Only what is stated.
struct ToolAnnotations {
    std::optional<std::string> title;
    std::optional<bool> read_only, destructive, idempotent, open_world;
};
Json to_json(const ToolAnnotations&);
ToolAnnotations annotations_from_json(const Json&);
/// read-only → none, idempotent → idempotent, destructive and not idempotent → once.
ToolEffect effect_of(const ToolAnnotations&);

struct ToolDefinition {
    std::string name; ///< the source's own, raw
    std::string title, description;
    Json input_schema;  ///< an object schema
    Json output_schema; ///< or null
    ToolAnnotations annotations;
    ToolEffect effect = ToolEffect::unstated; ///< as stated; see effect_of
    bool parallel_safe = true;
    std::optional<Millis> timeout;
};
/// MCP's shape plus "effect", "parallelSafe", "timeoutMs".
Json to_json(const ToolDefinition&);
Result<ToolDefinition> tool_definition_from_json(const Json&, std::string_view pointer = "");

struct ToolResult {
    JsonArray content; ///< MCP content blocks
    std::optional<Json> structured;
    bool is_error = false;
    Json details; ///< {"code"?, "resourceCard"?, "card"?, …} or null
};
ToolResult text_result(std::string text, bool is_error = false);
/// An `isError` result with `details.code`.
ToolResult error_result(std::string_view code, std::string message);
Json to_json(const ToolResult&);
Result<ToolResult> tool_result_from_json(const Json&);

/// Prompt text that comes with tools.
struct PromptSection {
    std::string id, text;
};

/// What a source offers, and what it dropped and why.
struct ToolList {
    std::vector<ToolDefinition> tools;
    std::vector<PromptSection> sections;
    struct Dropped {
        std::string name, reason;
    };
    std::vector<Dropped> dropped;
    std::vector<std::string> warnings;
    Json source; ///< of an MCP server: {"serverInfo", "protocolVersion", "complete", …}; else null
};
Json to_json(const ToolList&);
Result<ToolList> tool_list_from_json(const Json&);

/// Where tools come from. Nothing is opened or started before the first list or run. Any thread.
class ToolSource {
public:
    virtual ~ToolSource() = default;
    virtual Result<ToolList> list(Call&) = 0;
    /// `name` raw, `arguments_json` a checked JSON object. What a model may read and correct is a
    /// result with is_error; an Error is for the engine (code `parked`: a wait is registered).
    virtual Result<ToolResult> run(std::string_view name, std::string_view arguments_json,
                                   Call&) = 0;
};

} // namespace foxwedge
