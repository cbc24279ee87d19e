// What an MCP peer may cost, and how long it may take.
#pragma once
#include <cstddef>

#include "base/clock.hpp"

namespace foxwedge::mcp {

struct Limits {
    std::size_t frame_bytes = 32 * 1024 * 1024; ///< one message
    std::size_t json_depth = 128;
    std::size_t noise_lines =
        1000;                 ///< on stdout before the first message: then it is no MCP server
    std::size_t pages = 64;   ///< of one list
    std::size_t tools = 4096; ///< of one server
    std::size_t stderr_shown = 2048; ///< of it in an error
    Millis list_time{60'000};
    Millis call_hard{30 * 60'000}; ///< progress never extends a call beyond this
    Millis idle_stop{5 * 60'000};  ///< an unused child is stopped; the next call starts it again
    Millis idle_watch{20};         ///< quiet time after which the watching thread reads
    int starts = 5;                ///< failed starts within starts_window before a pause
    Millis starts_window{10'000};
};

} // namespace foxwedge::mcp
