// The neutral transcript (docs/plugins, "Messages"): what agents, providers and the journal share.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace foxwedge {

/// One piece of a message. Which members count follows from `type`.
struct Block {
    enum class Type : std::uint8_t {
        text,        ///< text
        reasoning,   ///< text
        tool_call,   ///< call_id, name, arguments
        tool_result, ///< call_id, name, is_error, content
        other,       ///< raw: image, audio, resource, resource_link, as in MCP
    };
    Type type = Type::text;
    std::string text;
    std::string call_id;
    std::string name;
    std::string arguments; ///< JSON text as the model wrote it, unparsed
    bool is_error = false;
    std::vector<Block> content;
    Json raw;
    /// Adapter's own data with "format" and "model", returned unchanged to the same; null if none.
    Json opaque;
};

enum class Role : std::uint8_t { user, assistant, tool };

struct Message {
    Role role = Role::user;
    std::vector<Block> content;
};

Block text_block(std::string text);
Json to_json(const Block&);
Json to_json(const Message&);
Json to_json(const std::vector<Message>&);
/// Error `invalid_message` with a JSON pointer in details. Unknown members are ignored.
Result<Block> block_from_json(const Json&, std::string_view pointer = "");
Result<Message> message_from_json(const Json&, std::string_view pointer = "");
Result<std::vector<Message>> messages_from_json(const Json&, std::string_view pointer = "");
/// All text blocks, joined.
std::string text_of(const std::vector<Block>&);

/// Token counts of one model call, or of many added up. `input` excludes `cache_read`.
struct Usage {
    std::int64_t input = 0, output = 0, cache_read = 0, cache_write = 0, reasoning = 0;
    bool estimated = false; ///< some of it is our estimate: the provider reported none

    Usage& operator+=(const Usage&);
    bool operator==(const Usage&) const = default;
};
Json to_json(const Usage&);
Usage usage_from_json(const Json&);

} // namespace foxwedge
