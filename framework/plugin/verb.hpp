// Calling one function of a plugin and saying what came of it.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "contracts/call.hpp"
#include "plugin/opened.hpp"
#include "plugin/running_call.hpp"

namespace foxwedge::plugin {

/// True if a verb of this call runs on its caller's own thread.
bool runs_here(const Runtime&, const Call&);

/// Runs `verb` for `call`. A call that can be cancelled or become overdue runs on a thread of its
/// own, so that its caller can leave it; `keep` (the instance, the arguments) lives until it has
/// returned. A call that nothing can end runs here and now. `verb` must not use the caller's stack.
Ended run_verb(Opened&, Call& call, std::shared_ptr<const http::Caller> access,
               std::function<foxwedge_status(const foxwedge_call*)> verb,
               std::function<void(const foxwedge_call*)> interrupt, bool wants_result);

/// An ending that no verb brought about: there was nobody to call.
Ended ended_by_host(Error);

/// The error for anything but FOXWEDGE_OK. `what` names plugin and verb: "plugin kv: run_tool".
/// docs/plugins, "What a status becomes".
Error error_of(const Ended&, std::string_view what);

} // namespace foxwedge::plugin
