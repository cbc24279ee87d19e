// The key under which served state travels through clients, kept beside the journal.
#pragma once
#include <string>

#include "base/result.hpp"

namespace foxwedge::compose {

/// The key in `folder`, made at first use and readable by its owner alone: what one server has
/// sealed, the next one and those beside it take back. Fails as `seal_key` where it cannot be read
/// or written, or is no key.
Result<std::string> kept_seal_key(const std::string& folder);

} // namespace foxwedge::compose
