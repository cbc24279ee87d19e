// Guardrails over what a server says of its tools, before a model reads it.
#pragma once
#include <string_view>
#include <vector>

#include "agent/calls/discovery.hpp"

namespace foxwedge::agent {

/// The steps `<id>:tools:guardrail:<k>-<name>:<tool>`: a denied tool is dropped with its reason, a
/// replaced one has another title, description or schema from then on.
Status guard_definitions(run::Run&, std::string_view id, const std::vector<GuardrailUse>&,
                         Discovered&, World&);

} // namespace foxwedge::agent
