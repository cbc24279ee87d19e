// A neutral request as a body of the Messages API. Pure.
#pragma once
#include <cstdint>
#include <string>

#include <foxwedge/json.hpp>

namespace anthropic {

using foxwedge::plugin::Value;

inline constexpr const char* transcript_format = "anthropic-messages";

struct RequestOptions {
    std::int64_t max_tokens = 8192;
    bool stream = true;
    bool prompt_cache = true;
    bool keep_reasoning = true; ///< false: without thinking, for a second try after a refusal
};

/// The body. The request's own "options" are set last, member by member.
Value make_body(const Value& request, const RequestOptions&);

/// True if the history holds blocks of thinking that would be sent.
bool has_reasoning(const Value& request);

} // namespace anthropic
