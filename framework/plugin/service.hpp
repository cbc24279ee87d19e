// What the host's services have in common: finding the call, answering, telling errors.
#pragma once
#include <functional>
#include <string>

#include <foxwedge/services.h>

#include "base/json.hpp"
#include "plugin/plugin_host.hpp"
#include "plugin/text.hpp"

namespace foxwedge::plugin {

/// {"code", "message", "details"?} as services answer it.
std::string error_text(const Error&);

/// Hands the answer or the error to the plugin and gives the status for it. Keeps what the plugin's
/// callback throws from travelling on.
foxwedge_status answer(foxwedge_reply, const Result<std::string>&) noexcept;

/// Runs `work` with the call's run, one service at a time: for store, agents, wait and script.
/// Answers through `reply`.
using CallWork = std::function<Result<std::string>(Call&, std::unique_ptr<Script>&)>;
foxwedge_status with_call(PluginHost&, const foxwedge_call*, foxwedge_reply,
                          const CallWork& work) noexcept;

// One for each service; `self` is the plugin's host.
foxwedge_log make_log(PluginHost& self);
foxwedge_store make_store(PluginHost& self);
foxwedge_agents make_agents(PluginHost& self);
foxwedge_wait make_wait(PluginHost& self);
foxwedge_script make_script(PluginHost& self);
foxwedge_check make_check(PluginHost& self);
foxwedge_http make_http(PluginHost& self);

} // namespace foxwedge::plugin
