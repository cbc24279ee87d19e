// What a run and all below it have cost, for runs that have no result to say so.
#pragma once
#include "agent/budget/spent.hpp"
#include "base/result.hpp"
#include "run/run.hpp"

namespace foxwedge::agent {

/// What a run's result says that it has cost, its children included; nothing where there is none.
std::optional<Spent> spent_by_result(const journal::Outcome&);

/// The same of any run, however it stands: where no result tells it, by the steps of the run and
/// by what its children have cost. Changes until the run and all below it have ended.
Result<Spent> spent_by_tree(journal::Engine&, const journal::RunHead&);
Result<Spent> spent_by_tree(journal::Engine&, std::string_view run);

} // namespace foxwedge::agent
