// The inside of a plugin box: one component of one plugin, run for the host at the other end of two
// pipes (box_wire.hpp).
#pragma once

namespace foxwedge::plugin {

/// Serves frames from `in` with frames to `out` until the host closes `in`; then ends the process.
/// Any code of the plugin may end it earlier: that is what a box is for.
[[noreturn]] void serve_box(int in, int out);

} // namespace foxwedge::plugin
