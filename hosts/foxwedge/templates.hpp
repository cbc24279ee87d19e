// The files that `plugins new` writes projects from (templates/), made into C++ at build time.
#pragma once
#include <map>
#include <string>

namespace foxwedge::cli {

/// "c/capability.c" → its text, with @NAME@ and the like still in it.
const std::map<std::string, std::string>& plugin_templates();

} // namespace foxwedge::cli
