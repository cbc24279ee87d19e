/* foxwedge/context_strategy.h: chooses how much of the past a model is shown. */
#ifndef FOXWEDGE_CONTEXT_STRATEGY_H
#define FOXWEDGE_CONTEXT_STRATEGY_H

#include "abi.h"

#define FOXWEDGE_KIND_CONTEXT_STRATEGY "foxwedge.context-strategy/1"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct foxwedge_context_strategy {
    foxwedge_instance base;

    /* Plan the view for the next model call. What came after the task is a row of numbered
     * groups: an assistant message with all its calls and all their results, or a summary.
     * System text and task are no groups; they are always shown. `request`:
     *   {"state", "firstGroup", "added": [{"n", "tokens", "calls", "bytes", "isSummary"}],
     *    "budget": {"contextWindow", "used", "reserve"}, "config"}
     * "added" holds what came since the last plan, "firstGroup" is the number of the first of
     * them, or of the next if there is none; numbers only grow. "state" is that of the last
     * plan, "" at first. Token counts are the provider's as far as it has counted. Result:
     *   {"keepFrom", "pinned": [n...], "state",
     *    "summarize"?: {"from", "to", "maxTokens", "instructions"?, "model"?}}
     * Shown are the pinned groups and all from "keepFrom" on. The host makes the summary of
     * [from, to); if it helps, it comes as a group of its own and "keepFrom" holds, else
     * nothing is let go. "state" has at most 4 KiB. The plan depends on `request` alone (no
     * clock, no chance, no services), and its cost does not grow with the run. A history that
     * cannot be made to fit: FOXWEDGE_E_INVALID with `context_window_exceeded`. [worker]
     * Lifetime: `self` until destroy is called, all else until it returns. */
    foxwedge_status (*plan)(foxwedge_instance* self, foxwedge_str request,
                            const foxwedge_call* call);
} foxwedge_context_strategy;

#ifdef __cplusplus
}
#endif
#endif /* FOXWEDGE_CONTEXT_STRATEGY_H */
