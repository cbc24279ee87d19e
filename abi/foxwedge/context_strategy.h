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

    /* Plan the view for the next model call. The history is a row of numbered groups: the
     * task, then each assistant message with all its calls and all their results. `request`:
     *   {"state", "firstGroup", "added": [{"n", "tokens", "calls", "bytes", "isSummary"}],
     *    "budget": {"contextWindow", "used", "reserve"}, "config"}
     * "added" holds what came since the last plan; numbers only grow; "state" is what the
     * last plan returned, "" at first. Result:
     *   {"keepFrom", "pinned": [n...], "state",
     *    "summarize"?: {"from", "to", "maxTokens", "instructions"?, "model"?}}
     * The view is the pinned groups and all from "keepFrom" on; the host makes the summary
     * of [from, to). "state" has at most 4 KiB. The plan depends on `request` alone (no
     * clock, no chance, no services), and its cost does not grow with the run. [worker] */
    foxwedge_status (*plan)(foxwedge_instance *self, foxwedge_str request,
                            const foxwedge_call *call);
} foxwedge_context_strategy;

#ifdef __cplusplus
}
#endif
#endif /* FOXWEDGE_CONTEXT_STRATEGY_H */
