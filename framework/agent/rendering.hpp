// Tool calls as text, for adapters without a native transcript: a fence tagged `tool_call` with one
// JSON {name, arguments} is a call, results go back as a fence `tool_result`. Pure; both directions
// read recorded history only.
#pragma once
#include <vector>

#include "contracts/provider.hpp"

namespace foxwedge::agent {

/// The name that stands for a fence which is not one call.
inline constexpr std::string_view unreadable_call = "(unreadable tool_call)";

/// Text with fences as text and calls, in order. A broken fence is a call of `unreadable_call`.
std::vector<Block> calls_in_text(std::vector<Block>);

/// A message without calls and results: they stand in its text as fences.
Message as_text(const Message&);

/// How to call the tools, for the system text.
std::string tools_as_text(const std::vector<ToolForModel>&);

} // namespace foxwedge::agent
