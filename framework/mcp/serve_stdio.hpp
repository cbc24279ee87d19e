// A Service over this process's own pipes.
#pragma once
#include "base/log.hpp"
#include "mcp/limits.hpp"
#include "mcp/service.hpp"

namespace foxwedge::mcp {

struct StdioServing {
    int in = 0, out = 1;
    Limits limits;
    Log* log = &silent_log();
    Millis last_answers{1500}; ///< after the end of `in`: for calls under way
    std::string seal_key;      ///< of state that clients keep; "": one of this process
};

/// Answers one client until `in` ends or `out` breaks; then calls under way are cancelled. Blocks.
void serve_stdio(Service&, const StdioServing& = {});

} // namespace foxwedge::mcp
