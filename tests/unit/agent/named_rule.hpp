#pragma once

#include "contracts/options.hpp"

namespace foxwedge::agent {

/// A rule that a test recognises by its summary.
inline ApprovalRule named(const char* summary) {
    ApprovalRule rule;
    rule.summary = summary;
    return rule;
}

} // namespace foxwedge::agent
