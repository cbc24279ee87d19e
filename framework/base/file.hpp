// A file that someone named, as one text.
#pragma once
#include <cstddef>
#include <string>

#include "base/result.hpp"

namespace foxwedge {

/// Everything in the file, pipes and devices too. Fails as `unreadable` with the reason in words
/// ("cannot read the file x.json: Permission denied"), as `too_large` beyond `most` bytes, of which
/// no more is read than shows that.
Result<std::string> read_whole_file(const std::string& path, std::size_t most);

/// The same of an open descriptor, which `name` names in messages.
Result<std::string> read_whole(int fd, const std::string& name, std::size_t most);

} // namespace foxwedge
