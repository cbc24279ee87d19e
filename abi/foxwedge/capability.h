/* foxwedge/capability.h: tools that a model may call. */
#ifndef FOXWEDGE_CAPABILITY_H
#define FOXWEDGE_CAPABILITY_H

#include "abi.h"

#define FOXWEDGE_KIND_CAPABILITY "foxwedge.capability/1"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct foxwedge_capability {
    foxwedge_instance base;

    /* Say what there is, the same for the whole life of the instance. Result:
     *   {"tools": [{"name", "title"?, "description", "inputSchema", "outputSchema"?,
     *     "annotations": {"readOnlyHint"?, "destructiveHint"?, "idempotentHint"?,
     *     "openWorldHint"?}, "effect"?, "parallelSafe", "timeoutMs"?}],
     *    "sections"?: [{"id", "text"}]}
     * "sections" go into the prompt of agents that have the tools. "effect" tells the host
     * what doing a call again would do:
     *   "none"        nothing lasting happens
     *   "store"       all that lasts goes through the service `store`
     *   "idempotent"  a second call with the same step key changes nothing more
     *   "once"        never to be repeated unasked when its outcome is unknown
     * Without it the annotations are asked, where they say something. Outside a step: no
     * step key, and the store can only be read. [worker]
     * Lifetime: `self` until destroy is called, `call` until it returns. */
    foxwedge_status (*list_tools)(foxwedge_instance* self, const foxwedge_call* call);

    /* Run the tool `name`. `arguments` is a JSON object that fits its inputSchema. Result:
     *   {"content": [block...], "structuredContent"?, "isError"?, "details"?: {"code"?,
     *    "resourceCard"?, "card"?, ...}}
     * isError is for the model, which may do better next time; a status is for the host,
     * which may try again. Events: progress and log. [worker]
     * Lifetime: `self` until destroy is called, all else until it returns. */
    foxwedge_status (*run_tool)(foxwedge_instance* self, foxwedge_str name, foxwedge_str arguments,
                                const foxwedge_call* call);
} foxwedge_capability;

#ifdef __cplusplus
}
#endif
#endif /* FOXWEDGE_CAPABILITY_H */
