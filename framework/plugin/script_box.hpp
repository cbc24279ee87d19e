// Scripts in boxes: one child process each (hosts/script-box), spoken with by lines.
#pragma once
#include <memory>

#include "plugin/script.hpp"
#include "process/supervisor.hpp"

namespace foxwedge::plugin {

/// Starts scripts as children of `children`, which outlives this and all scripts. Any thread.
class ScriptBoxes {
public:
    explicit ScriptBoxes(process::Supervisor& children);
    ~ScriptBoxes();
    ScriptBoxes(const ScriptBoxes&) = delete;
    ScriptBoxes& operator=(const ScriptBoxes&) = delete;

    /// Errors of starting: `script_box_missing` where this build has no script engine, and those of
    /// Supervisor::start. A script that ends by its own doing, or for reaching a limit, is done
    /// with an error {"code", "message", "line"?, "column"?}; a process that was killed from
    /// outside is an unknown outcome. Outlived by this.
    ScriptStarter starter();

    /// A script is about to be started: its process may start now, and make its engine ready while
    /// the host does other things. It has seen no script when it gets one. Does nothing where one
    /// is ready; what goes wrong is told by the start itself.
    void prepare();

private:
    struct State;
    const std::unique_ptr<State> state_;
};

} // namespace foxwedge::plugin
