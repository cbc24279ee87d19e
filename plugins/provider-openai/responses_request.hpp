// A neutral request as a body of the Responses API. Pure.
#pragma once
#include <foxwedge/json.hpp>

namespace openai {

using foxwedge::plugin::Value;

struct ResponsesOptions {
    bool stream = true;
    bool at_home = true; ///< at OpenAI: its own members may be used
};

/// The body. Nothing is kept at the vendor's: the history travels whole, reasoning encrypted.
Value make_responses_body(const Value& request, const ResponsesOptions&);

/// True for models that think and so can return their reasoning encrypted; others refuse to be
/// asked for it.
bool is_reasoning_model(std::string_view model);

} // namespace openai
