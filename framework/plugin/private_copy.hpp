// What is loaded is a copy that nobody else can change, named by its content.
#pragma once
#include <string>

#include "base/digest.hpp"
#include "base/result.hpp"

namespace foxwedge::plugin {

/// Copies the file at `fd` to `<folder>/<name>`, mode 0500, and returns its path. The copied bytes
/// must have the digest `expected`, else `changed_while_read`. A copy that is there already is kept
/// if its bytes are right and replaced if not. The folder is made, for this user alone. Any
/// process.
Result<std::string> private_copy(int fd, const Digest& expected, const std::string& folder,
                                 const std::string& name);

} // namespace foxwedge::plugin
