// Scripts in boxes: one child process each (hosts/script-box), spoken with by lines.
#pragma once
#include "plugin/script.hpp"
#include "process/supervisor.hpp"

namespace foxwedge::plugin {

/// Starts scripts as children of `children`, which outlives them all. Errors of starting:
/// `script_box_missing` where this build has no script engine, and those of Supervisor::start.
/// A script that ends by its own doing, or for reaching a limit, is done with an error {"code",
/// "message", "line"?, "column"?}; a process that was killed from outside is an unknown outcome.
ScriptStarter box_scripts(process::Supervisor& children);

} // namespace foxwedge::plugin
