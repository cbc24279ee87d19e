// Work that a broken page can kill, in a child process that reports by lines.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace foxwedge::journal {

/// Says a line to the parent; false if it is gone.
using Say = std::function<bool(std::string_view line)>;
struct Ended {
    bool whole = false; ///< the child came to its end
    int signal = 0;     ///< that killed it
};
/// Forks, runs `work` in the child and gives its lines to `line` here. Fails if no child can be
/// made.
Result<Ended> run_isolated(const std::function<void(const Say&)>& work,
                           const std::function<void(std::string_view line)>& line);

} // namespace foxwedge::journal
