// Approvals that stand for later calls: kept with a decision, listed, revoked.
#pragma once
#include "cli.hpp"
#include "journal/engine.hpp"

namespace foxwedge::cli {

/// Whether `--always` can be meant for this question: error `usage` before anything is decided.
Status check_always(const DecideArgs&, const journal::Gate&);
/// Keeps the rule that `--always` asks for; nothing without it.
Status keep_standing(journal::Engine&, const DecideArgs&, const journal::Gate&);

} // namespace foxwedge::cli
