// A neutral request as a body of Chat Completions. Pure.
#pragma once
#include <string>

#include <foxwedge/json.hpp>

namespace openai {

using foxwedge::plugin::Value;

inline constexpr const char* transcript_format = "openai";

struct ChatOptions {
    bool stream = true;
    bool stream_usage = true;
    std::string max_tokens_field = "max_completion_tokens";
    std::string system_role = "system";
};

/// The body. The request's own "options" are set last, member by member.
Value make_chat_body(const Value& request, const ChatOptions&);

/// A name that the API takes for a shape: letters, digits, `_`, `-`.
std::string plain_name(std::string_view name);

} // namespace openai
