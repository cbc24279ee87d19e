// Giving up: a stop token and a deadline travel together through everything that blocks.
#pragma once
#include <chrono>
#include <optional>
#include <stop_token>

namespace foxwedge {

/// When something must end. Copies share the stop state. Any thread.
struct Until {
    std::stop_token stop;
    std::optional<std::chrono::steady_clock::time_point> deadline;

    bool stopped() const { return stop.stop_requested(); }
    bool overdue() const { return deadline && std::chrono::steady_clock::now() >= *deadline; }
    /// Time left: none without a deadline, 0 when overdue.
    std::optional<std::chrono::milliseconds> left() const;
    /// The same, ending at the earlier of the two deadlines.
    Until within(std::chrono::milliseconds) const;
};

} // namespace foxwedge
