// Whom a file must belong to before its code may run here.
#pragma once
#include <string_view>
#include <sys/stat.h>

#include "base/result.hpp"

namespace foxwedge::plugin {

/// Owned by root or the user that runs this, and writable by nobody else. A group that may write is
/// accepted only when it is the owner's private one, as many systems set it up. `what`: "file" or
/// "folder". Refusals: `unsafe_owner`, `unsafe_mode`.
Status check_owner(const struct stat&, std::string_view what);

} // namespace foxwedge::plugin
