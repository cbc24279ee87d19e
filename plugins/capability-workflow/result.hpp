// What a run of a script comes to, for the model: exact texts, with code and canonical value beside
// them.
#pragma once
#include <string>
#include <string_view>

#include <foxwedge/json.hpp>

namespace workflow {

using foxwedge::plugin::Value;

/// JSON with an indent of two blanks.
std::string pretty(const Value& value);

/// The tool's result of a script that came to its end.
Value completed(std::string_view name, std::string_view run, std::int64_t agents, Value value,
                std::size_t most_characters);

/// A result with isError: `text` for the model, `code` and `more` (an object or null) in its
/// details.
Value failed(std::string_view code, std::string text, const Value& more = nullptr);

/// How a run in the background stands: `text` for the model.
Value standing(std::string_view run, std::string_view status, std::string text);

/// `result` with the card that shows the call, made from its arguments alone.
Value presented(const Value& arguments, Value result);

} // namespace workflow
