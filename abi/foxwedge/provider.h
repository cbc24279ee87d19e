/* foxwedge/provider.h: an adapter to a service that answers with a model. */
#ifndef FOXWEDGE_PROVIDER_H
#define FOXWEDGE_PROVIDER_H

#include "abi.h"

#define FOXWEDGE_KIND_PROVIDER "foxwedge.provider/1"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct foxwedge_provider {
    foxwedge_instance base;

    /* Say what the adapter can do, the same for the whole life of the instance. Result:
     *   {"models"?: [{"id", "contextWindow", "maxOutput"}], "nativeTranscript", "tools",
     *    "structuredOutput": "none" | "final" | "always", "streaming", "parallelCalls",
     *    "reasoningReplay"}
     * No input or output. [worker]
     * Lifetime: `self` until destroy is called, `call` until it returns. */
    foxwedge_status (*describe)(foxwedge_instance* self, const foxwedge_call* call);

    /* One answer of the model. `request`:
     *   {"model", "system", "messages": [message...], "tools": [{"name", "description",
     *    "inputSchema"}], "toolChoice": "auto" | "none" | "required" | {"name"},
     *    "output"?: {"schema", "name"}, "maxTokens"?, "temperature"?, "options",
     *    "idempotencyKey"}
     * Events 1 to 4 as the answer arrives are a preview; what counts is the result, the
     * whole answer:
     *   {"content": [block...], "stop": "end" | "tool_use" | "length" | "refusal" |
     *    "content_filter" | "pause", "usage": {"input", "output", "cacheRead",
     *    "cacheWrite", "reasoning"}, "model", "responseId"}
     * A block's "opaque" object comes back unchanged in later requests. A stream that
     * breaks off before its last event is FOXWEDGE_E_UNKNOWN with `connection_lost`, never
     * a result. [worker]
     * Lifetime: `self` until destroy is called, all else until it returns. */
    foxwedge_status (*generate)(foxwedge_instance* self, foxwedge_str request,
                                const foxwedge_call* call);

    /* May be NULL. How many tokens such a request would cost. Result: {"tokens"}. [worker]
     * Lifetime: `self` until destroy is called, all else until it returns. */
    foxwedge_status (*count_tokens)(foxwedge_instance* self, foxwedge_str request,
                                    const foxwedge_call* call);
} foxwedge_provider;

#ifdef __cplusplus
}
#endif
#endif /* FOXWEDGE_PROVIDER_H */
