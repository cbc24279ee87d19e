// The names of an agent's steps (docs/agents, "Step names"). They are public: the journal, the
// console and forks go by them.
#pragma once
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace foxwedge::agent {

/// Ids of agents and names of a workflow's own steps may be anything but empty, longer than 128
/// bytes or with a ':'. Error `invalid_id`.
Status check_id(std::string_view id);

std::string tools_step(std::string_view id); ///< <id>:tools
std::string discovery_step(std::string_view id,
                           std::string_view server); ///< <id>:mcp:<server>:tools
std::string turn_step(std::string_view id, int n);   ///< <id>:iter:N

/// Everything of one turn starts with its turn_step.
std::string gates_step(std::string_view turn);
std::string context_step(std::string_view turn);
std::string repair_step(std::string_view turn, int n);
std::string call_step(std::string_view turn, std::string_view call_id);

/// Everything of one call starts with its call_step. `edit` 0: before any edit.
std::string approval_step(std::string_view call, int edit = 0);
std::string result_approval_step(std::string_view call);
std::string question_step(std::string_view call, std::string_view what, int n); ///< input, sampling

/// "<k>-<name>", as guardrails are called in step names.
std::string guardrail_label(int k, std::string_view name);
std::string input_guardrail_step(std::string_view id, std::string_view label);
std::string definition_guardrail_step(std::string_view id, std::string_view label,
                                      std::string_view tool);
std::string args_guardrail_step(std::string_view call, std::string_view label, int edit = 0);
std::string result_guardrail_step(std::string_view call, std::string_view label);
std::string output_guardrail_step(std::string_view turn, std::string_view label);

} // namespace foxwedge::agent
