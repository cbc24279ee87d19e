#include "agent/loop/loop.hpp"

#include <limits>

#include "agent/names.hpp"

namespace foxwedge::agent {

Result<LoopResult> loop(run::Run& run, std::string_view id, const LoopOptions& options) {
    FOXWEDGE_CHECK(check_id(id));
    Transcript history(options.task);
    LoopResult out;
    int approvals = 0;
    const auto caps = [&] {
        return options.caps ? options.caps()
                            : LoopCaps{options.max_iterations, options.max_approvals};
    };
    const auto approvals_left = [&] {
        const auto most = caps().max_approvals;
        return most ? *most - approvals : std::numeric_limits<int>::max();
    };
    for (int n = 0; out.iterations < caps().max_iterations; ++n) {
        TurnContext context{run, id, n, turn_step(id, n), history, approvals_left};
        FOXWEDGE_TRY(turn, options.turn(context));
        out.iterations += turn.iterations;
        out.spent += turn.spent;
        approvals += turn.approvals;
        if (turn.then == Turn::Then::final) {
            out.final = std::move(turn.final);
            out.stop_reason = "final";
            return out;
        }
        if (turn.then == Turn::Then::stop) {
            out.stop_reason = std::move(turn.stop_reason);
            return out;
        }
        if (turn.group) {
            const std::vector<std::string_view> recorded(turn.recorded.begin(),
                                                         turn.recorded.end());
            history.append(*std::move(turn.group), recorded);
        }
    }
    out.stop_reason = "max-iterations";
    return out;
}

} // namespace foxwedge::agent
