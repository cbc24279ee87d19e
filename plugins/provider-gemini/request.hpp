// A neutral request as a body of generateContent. Pure.
#pragma once
#include <string>

#include <foxwedge/json.hpp>

namespace gemini {

using foxwedge::plugin::Value;

inline constexpr const char* transcript_format = "gemini";

Value make_body(const Value& request);

/// "/models/NAME:VERB", with `?alt=sse` for a stream. Throws Failure for a name that is no path.
std::string path_of(std::string_view model, bool stream);

} // namespace gemini
