// What a caller does on its own thread while the answer to its request is on the way: answers the
// server's questions, hears of progress. Private to this layer.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>

#include "mcp/http_link.hpp"
#include "mcp/open_question.hpp"

namespace foxwedge::mcp {

/// Guarded by the link's mutex.
struct HttpLink::Errands {
    std::condition_variable changed;
    std::deque<Request> questions;
    std::optional<OpenQuestion> asking; ///< the one that the caller is busy with
    std::deque<Json> progress;
    std::chrono::steady_clock::time_point heard = std::chrono::steady_clock::now();
};

} // namespace foxwedge::mcp
