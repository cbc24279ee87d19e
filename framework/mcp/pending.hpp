// One open request of a StdioLink. Private to this layer.
#pragma once
#include <vector>

#include "mcp/open_question.hpp"
#include "mcp/stdio_link.hpp"

namespace foxwedge::mcp {

struct StdioLink::Pending {
    std::int64_t id = 0;
    std::int64_t progress_token = 0;
    std::chrono::steady_clock::time_point quiet_end;
    std::chrono::milliseconds quiet;
    bool takes_requests = false;
    bool waiting = false; ///< in `ready`: may be woken to lead
    bool sent = false;    ///< some of it may have reached the server
    std::optional<Result<Reply>> outcome;
    std::vector<Json> progress;         ///< for the waiting thread to pass on
    std::deque<Request> questions;      ///< from the server, for the waiting thread to answer
    std::optional<OpenQuestion> asking; ///< the one that it is busy with
    std::condition_variable ready;
};

} // namespace foxwedge::mcp
