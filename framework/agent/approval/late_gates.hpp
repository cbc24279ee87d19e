// Gates that show only once the calls of a turn run: over a result, and again after an edit. They
// count to maxApprovals like those that were planned.
#pragma once
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "run/run.hpp"

namespace foxwedge::agent {

class LateGates {
public:
    /// `allowed`: what the turn may ask beside its planned gates. `turn`: "<id>:iter:N".
    LateGates(run::Run& run, std::string turn, int allowed)
        : run_(run), turn_(std::move(turn)), allowed_(allowed) {}

    /// True if the gate that is next in `lane` may be asked, and takes its place among those
    /// allowed. One that is on record was admitted once and is again. Any thread, on the lane's.
    bool admits(const run::Run& lane, std::string_view step);

private:
    run::Run& run_;
    const std::string turn_;
    const int allowed_;
    std::mutex mutex_;
    std::optional<int> taken_; ///< none: nothing new was asked for yet
};

} // namespace foxwedge::agent
