// Another configuration for the runs of a tree, each of which may have been started with parts of
// its own.
#pragma once
#include <map>
#include <string>

#include "base/json.hpp"
#include "contracts/provider.hpp"
#include "journal/engine.hpp"

namespace foxwedge::compose {

/// `wanted` for a run under `own`: a child keeps what it was started with where `wanted` says what
/// its root's configuration says.
Result<Json> configuration_for(journal::Engine&, const journal::RunHead&, const Json& own,
                               const Json& wanted);

/// Puts what differs between `from` and `to` in force for a run and for all of its tree that has
/// not ended. `reopen`: the run itself had. Errors: Engine::open's.
Status change_tree(journal::Engine&, const journal::RunHead&, const Json& from, const Json& to,
                   const std::map<std::string, ProviderTraits>& providers, bool reopen);

} // namespace foxwedge::compose
