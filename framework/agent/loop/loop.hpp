// The loop below every agent: it owns the counter, the history and the names `<id>:iter:N…`. A turn
// is its one extension point.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/budget/spent.hpp"
#include "agent/transcript.hpp"
#include "run/run.hpp"

namespace foxwedge::agent {

/// What a loop may do at most.
struct LoopCaps {
    int max_iterations = 10;
    std::optional<int> max_approvals;
};

/// What a turn is given.
struct TurnContext {
    run::Run& run;
    std::string_view id;
    int n = 0;        ///< of this turn, from 0
    std::string name; ///< "<id>:iter:N", with which all its steps' names start
    const Transcript& history;
    /// Human decisions that it may still ask for, by the caps that are in force now.
    std::function<int()> approvals_left;
};

/// What came of it.
struct Turn {
    enum class Then : unsigned char { again, final, stop } then = Then::again;
    Json final;                          ///< with `final`
    std::string stop_reason = "stopped"; ///< with `stop`
    std::optional<Group> group;          ///< appended to the history
    std::vector<std::string> recorded;   ///< the texts that the group derives from
    Spent spent;
    int approvals = 0;  ///< human decisions asked for
    int iterations = 1; ///< a repair counts as one more
};

struct LoopOptions {
    int max_iterations = 10;
    std::optional<int> max_approvals;
    /// Asked before each turn and each approval instead of the two above, where caps can change.
    std::function<LoopCaps()> caps;
    std::vector<Message> task;
    std::function<Result<Turn>(TurnContext&)> turn;
};

struct LoopResult {
    Json final;
    int iterations = 0;
    std::string stop_reason; ///< "final", "max-iterations" or the turn's own
    Spent spent;
};

/// Fails with `invalid_id` or with the error of a turn. On the thread of the lane.
Result<LoopResult> loop(run::Run&, std::string_view id, const LoopOptions&);

} // namespace foxwedge::agent
