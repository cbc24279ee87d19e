// An agent's task: its prompt, or the run's input, with `${input…}` filled in. Pure.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/message.hpp"
#include "contracts/options.hpp"

namespace foxwedge::agent {

/// Fills `${input}` and `${input.a.b}` in prompt and instructions: text as it is, any other value
/// as JSON; "$${" is "${". Error `missing_input` names what the input lacks. For agents of a
/// config.
Status fill_input(AgentOptions&, const Json& input);
Result<std::string> filled_text(std::string_view text, const Json& input);
/// Adds the paths into the input that a prompt's placeholders name; "" is the input as a whole.
void add_input_paths(const Json& prompt, std::set<std::string>& paths);

/// The first messages: the prompt (text or messages), else the input (text as it is, else as JSON).
Result<std::vector<Message>> task_of(const AgentOptions&, std::string_view input_json);

} // namespace foxwedge::agent
