// Takes from this process what a plugin under examination has no business with.
#pragma once
#include <string>

namespace foxwedge::box {

/// For good, and before anything of the plugin runs: no network, no other program or process, no
/// debugger's view of others, no change to files but below `folder`; bounded files and descriptors,
/// no core. Threads, and reading what the system offers to everybody, are left to it. Where the
/// kernel has Landlock, only libraries and what belongs to the system can be read; where it has
/// not, no file can be written at all. Empty, or what could not be done: then nothing may run.
std::string seal(const std::string& folder);

} // namespace foxwedge::box
