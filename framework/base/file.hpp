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

/// The same of a regular file alone: for names that a config or a folder holds, where a pipe would
/// hold up whoever reads it until somebody writes. What else it is stands in the reason.
Result<std::string> read_regular_file(const std::string& path, std::size_t most);

/// Succeeds where read_regular_file would begin to read.
Status check_regular_file(const std::string& path);

/// read_whole_file of an open descriptor, which `name` names in messages.
Result<std::string> read_whole(int fd, const std::string& name, std::size_t most);

/// Opens `path` below an open folder as open(2) does: its descriptor, or -1 and errno. Links are
/// followed as long as they stay inside; what leads out is EXDEV or ELOOP. Where the kernel cannot
/// promise that (before Linux 5.6), no link is followed at all.
int open_beneath(int folder, const std::string& path, int flags);

} // namespace foxwedge
