/* foxwedge/guardrail.h: a check that lets pass, changes or stops what goes by. */
#ifndef FOXWEDGE_GUARDRAIL_H
#define FOXWEDGE_GUARDRAIL_H

#include "abi.h"

#define FOXWEDGE_KIND_GUARDRAIL "foxwedge.guardrail/1"

/* Where a guardrail can stand, and the JSON subject that it is shown there. */
/* {"prompt": [message...], "agent"} */
#define FOXWEDGE_PLACEMENT_INPUT 1u
/* {"tool", "arguments", "inputSchema", "annotations", "iteration", "agent"} */
#define FOXWEDGE_PLACEMENT_TOOL_ARGS 2u
/* {"tool", "arguments", "result": {"content", "structuredContent", "isError"}, "agent"} */
#define FOXWEDGE_PLACEMENT_TOOL_RESULT 4u
/* {"content": [block...], "final"?, "agent"} */
#define FOXWEDGE_PLACEMENT_OUTPUT 8u
/* {"server", "tool": {"name", "title", "description", "inputSchema", "annotations"}} */
#define FOXWEDGE_PLACEMENT_TOOL_DEFINITION 16u

#ifdef __cplusplus
extern "C" {
#endif

typedef struct foxwedge_guardrail {
    foxwedge_instance base;
    uint32_t placements; /* the bits of those that it wants; does not change */
    uint32_t reserved0;

    /* Judge. `placement` is one of the wanted bits. Result:
     *   {"action": "allow" | "deny" | "replace" | "require-approval" | "stop",
     *    "message"?, "value"?, "risk"?, "reason"?,
     *    "violations"?: [{"instancePointer", "schemaPointer", "message"}]}
     * "value" is for "replace" and has the shape of what it takes the place of: prompt,
     * arguments, result, content or tool. Anything else, and any status but FOXWEDGE_OK,
     * counts as "deny". [worker]
     * Lifetime: `self` until destroy is called, all else until it returns. */
    foxwedge_status (*check)(foxwedge_instance* self, uint32_t placement, foxwedge_str subject,
                             const foxwedge_call* call);
} foxwedge_guardrail;

#ifdef __cplusplus
}
#endif
#endif /* FOXWEDGE_GUARDRAIL_H */
