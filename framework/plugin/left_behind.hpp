// What code of a plugin may still use, and therefore is never freed.
#pragma once

namespace foxwedge::plugin {

/// Remembers `what` until the process ends: a leak checker then knows that it was left on purpose,
/// and a debugger finds it. Any thread.
void leave_behind(const void* what);

} // namespace foxwedge::plugin
