// CEL as the language of rules. The layer's only door to `rule`.
#pragma once
#include "agent/approval/evaluate.hpp"

namespace foxwedge::agent {

/// Lives for ever, holds nothing. Any thread.
RuleLanguage& cel_language();

} // namespace foxwedge::agent
