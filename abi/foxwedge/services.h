/* foxwedge/services.h: what the host does for plugins.
 *
 * foxwedge_host.service(host, id) gives one of these structs, made for this plugin, or NULL.
 * Take it in open or create; it is valid until foxwedge_entry.close returns.
 *
 * The first argument of every function is the call that it works for, then its own struct.
 *   store, agents, wait, script  need the call. Any thread may use them until the verb
 *                    returns (later: FOXWEDGE_E_CANCELLED, and nothing is done); the host
 *                    takes one function at a time per call.
 *   log, http, check take NULL too. Then no call's deadline and cancellation apply. They
 *                    run side by side.
 * Requests and answers are JSON, and `request` is borrowed until the function returns. A
 * verb that returns the status that a service gave it, and sets no error of its own, passes
 * the service's error on.
 */
#ifndef FOXWEDGE_SERVICES_H
#define FOXWEDGE_SERVICES_H

#include "abi.h"

#define FOXWEDGE_SERVICE_LOG "foxwedge.log/1"
#define FOXWEDGE_SERVICE_HTTP "foxwedge.http/1"
#define FOXWEDGE_SERVICE_STORE "foxwedge.store/1"
#define FOXWEDGE_SERVICE_AGENTS "foxwedge.agents/1"
#define FOXWEDGE_SERVICE_WAIT "foxwedge.wait/1"
#define FOXWEDGE_SERVICE_SCRIPT "foxwedge.script/1"
#define FOXWEDGE_SERVICE_CHECK "foxwedge.check/1"

#ifdef __cplusplus
extern "C" {
#endif

/* Where an answer goes. Passed by value. Frozen. */
typedef struct foxwedge_reply {
    void* data; /* the plugin's own, handed to `give` */

    /* May be NULL where no answer is wanted. Called at most once: with the answer if the
     * service returns FOXWEDGE_OK and has one, else with {"code", "message", "details"?}.
     * [caller]
     * Lifetime: `text` until it returns, `data` until the service returns. */
    void (*give)(void* data, foxwedge_str text);
} foxwedge_reply;

#define FOXWEDGE_LOG_ERROR 1u
#define FOXWEDGE_LOG_WARN 2u
#define FOXWEDGE_LOG_INFO 3u
#define FOXWEDGE_LOG_DEBUG 4u

/* Lines in the host's log. */
typedef struct foxwedge_log foxwedge_log;
struct foxwedge_log {
    uint32_t struct_size;
    uint32_t reserved0;
    void* host_data;

    /* Write one line under the plugin's id. The host masks what looks like a secret; all the
     * same, log no content. `call` may be NULL. [any]
     * Lifetime: `message` is copied before it returns. */
    void (*write)(const foxwedge_call* call, const foxwedge_log* self, uint32_t level,
                  foxwedge_str message);
};

/* Takes a response. Made by the plugin, which sets struct_size. */
typedef struct foxwedge_http_receiver {
    uint32_t struct_size;
    uint32_t reserved0;
    void* data; /* the plugin's own, handed to the functions */

    /* The head, once: {"status", "headers": {name: value}}, names in lower case; a header
     * that came several times has its values joined by ", ". Any status but FOXWEDGE_OK
     * ends the transfer, and `send` returns it. [caller]
     * Lifetime: `json` until it returns. */
    foxwedge_status (*head)(void* data, foxwedge_str json);

    /* The next bytes of the body, cut anywhere. The status as above. [caller]
     * Lifetime: `bytes` until it returns. */
    foxwedge_status (*chunk)(void* data, foxwedge_str bytes);

    /* May be NULL. Why the transfer failed, {"code", "message", "details"?}: at most once,
     * as the last. [caller]
     * Lifetime: `error` until it returns. */
    void (*failed)(void* data, foxwedge_str error);
} foxwedge_http_receiver;

/* One request over HTTP, under the host's egress policy, proxies, TLS and secrets. */
typedef struct foxwedge_http foxwedge_http;
struct foxwedge_http {
    uint32_t struct_size;
    uint32_t reserved0;
    void* host_data;

    /* Send a request, receive the whole response, whatever its HTTP status is:
     *   {"method", "url", "headers": {name: "text" | {"secret", "prefix"?}}, "body"?,
     *    "timeoutMs"?, "idleTimeoutMs"?, "redirects"?: true}
     * Redirects are followed within one origin; with false they are answers like any other.
     * A secret is named, never seen, and goes only to its own origins. No connection:
     * FOXWEDGE_E_TRANSIENT. Lost or timed out after sending: FOXWEDGE_E_UNKNOWN. Against the
     * policy: FOXWEDGE_E_INVALID. `call` may be NULL. [any]
     * Lifetime: `receiver` until it returns. */
    foxwedge_status (*send)(const foxwedge_call* call, const foxwedge_http* self,
                            foxwedge_str request, const foxwedge_http_receiver* receiver);
};

/* Ordered keys of the plugin file's own, shared by its components. A call sees what is
 * committed and what it wrote itself in this attempt. Its writes commit together with the
 * outcome of its step, when its verb returns FOXWEDGE_OK or FOXWEDGE_PARKED, or not at all.
 * Outside a tool's call the store can only be read. */
typedef struct foxwedge_store foxwedge_store;
struct foxwedge_store {
    uint32_t struct_size;
    uint32_t reserved0;
    void* host_data;

    /* Do operations in order: {"ops": [op...]}, answered by {"results": [result...]}, one for
     * each op. Every op has "scope": "project" | "conversation" | "user". Keys are texts of 1
     * to 2000 bytes, in byte order; values any JSON up to 4 MiB.
     *   {"op": "get", "key"}              {"found", "value"?, "revision"?}
     *   {"op": "put", "key", "value", "expect"?}   {}
     *   {"op": "delete", "key", "expect"?}         {"found"}
     *   {"op": "add", "key", "by"}                 {"value"}: as this call sees it. "by" is a
     *                                     number, or an object of numbers that are added member
     *                                     by member; what is missing counts as 0
     *   {"op": "scan", "prefix"?, "after"?, "limit"?}
     *                                     {"items": [{"key", "value", "revision"?}], "next"?};
     *                                     "next" is the "after" of the following page
     *   {"op": "changes", "after"?, "limit"?}
     *                                     {"items": [{"key", "revision", "value"? | "deleted":
     *                                     true}], "next"?} in the order of revisions, a key
     *                                     once; "after" is a revision or the "next" before
     * A revision is an integer that rises across the whole namespace. It is given at the
     * commit: what this call has written itself carries none yet. "expect" is the revision
     * that the key must have, or 0 for a key that must not exist; it is compared with what is
     * committed, now and again at the commit. If it does not hold, nothing of the step
     * commits and the answer is `conflict`. [any]
     * Lifetime: `request` until it returns; a write until the attempt ends, which commits it or
     * not. */
    foxwedge_status (*apply)(const foxwedge_call* call, const foxwedge_store* self,
                             foxwedge_str request, foxwedge_reply reply);

    /* The path of a private folder for files that can be made again, as plain text (no JSON).
     * They may vanish at any time. [any]
     * Lifetime: the path stays the same until foxwedge_entry.close returns. */
    foxwedge_status (*folder)(const foxwedge_call* call, const foxwedge_store* self,
                              foxwedge_reply reply);
};

/* Child runs of the run that the call belongs to. */
typedef struct foxwedge_agents foxwedge_agents;
struct foxwedge_agents {
    uint32_t struct_size;
    uint32_t reserved0;
    void* host_data;

    /* Start a child, or find the one that this step started under the same key:
     *   {"key", "agent" | "workflow" | "options", "prompt" | "input", "output"?, "without"?,
     *    "label"?, "phase"?, "seq"?, "detached"?}
     * "without": names of tools that the agent is not to have. "label", "phase": what people
     * see; "seq": its number in the records of a script. Answer: {"ticket"}.
     * {"find": <ticket>, "wait"?}: how a detached one stands, as `next` tells it, with its
     * "label".
     * {"ahead": <most>, "usage"?}: for a script that runs again, the ends that `next` is going to
     * give from the record: {"ends": [{"key", "value", "usage"?}], "more"}, as far as they are
     * values in a row. `next` then gives of each {"ticket", "recorded"} alone. "more": others of
     * any kind follow on record. [any]
     * Lifetime: `request` until it returns; the ticket until the step has an outcome. */
    foxwedge_status (*start)(const foxwedge_call* call, const foxwedge_agents* self,
                             foxwedge_str request, foxwedge_reply reply);

    /* Wait for the next child, in the order in which they end. Answer: {"ticket", "status",
     * "value"?, "error"?, "stopReason"?, "agentsStarted"?, "usage", "recorded"?}; "recorded":
     * it was given before, to a call of this step that did not come to its end.
     * FOXWEDGE_PARKED when every open child waits for something
     * itself: clean up and return it. Without an open child: FOXWEDGE_E_INVALID. [any]
     * Lifetime: the answer until `reply` returns; the end stays on record for the step. */
    foxwedge_status (*next)(const foxwedge_call* call, const foxwedge_agents* self,
                            foxwedge_reply reply);

    /* Cancel a child: {"ticket"}. Its end still comes through `next`. [any]
     * Lifetime: `request` until it returns. */
    foxwedge_status (*cancel)(const foxwedge_call* call, const foxwedge_agents* self,
                              foxwedge_str request, foxwedge_reply reply);
};

/* Waiting for a time or a signal without holding a thread. */
typedef struct foxwedge_wait foxwedge_wait;
struct foxwedge_wait {
    uint32_t struct_size;
    uint32_t reserved0;
    void* host_data;

    /* Register a wait, or find it again: {"until": <unix ms>} | {"signal": <key>}. Answers at
     * once: {"fired", "value"?}. If "fired" is false and nothing else is left to do, clean up
     * and return FOXWEDGE_PARKED; the call comes again when one of its waits has fired. [any]
     * Lifetime: the wait until the step has an outcome. */
    foxwedge_status (*wait_for)(const foxwedge_call* call, const foxwedge_wait* self,
                                foxwedge_str request, foxwedge_reply reply);
};

/* One script per call, in a sandboxed child process of the host, which ends it when the verb
 * returns. */
typedef struct foxwedge_script foxwedge_script;
struct foxwedge_script {
    uint32_t struct_size;
    uint32_t reserved0;
    void* host_data;

    /* Start it: {"source", "args", "limits", "seed", "now", "budget"?}. "source" is the body of
     * an async function; "seed" a text and "now" milliseconds of the Unix epoch, from which
     * all chance and time in it come; "budget" what it reads as `budget.left`. "limits", each
     * with a default: "memoryBytes", "cpuSeconds", "firstSliceMs" and "sliceMs" (processor
     * time until it waits), "wallMs" (the same on the clock), "agents" (requests in all),
     * "items" (of one parallel or pipeline), "requestBytes", "resultBytes", "logLines";
     * "checkOnly": true compiles it and runs nothing. No answer. [any]
     * Lifetime: `request` until it returns; the script until the verb returns. */
    foxwedge_status (*start)(const foxwedge_call* call, const foxwedge_script* self,
                             foxwedge_str request, foxwedge_reply reply);

    /* Wait for what it asks next. Answer: {"request": {"id", "hook", "arguments"}} |
     * {"done": {"value" | "error": {"code", "message", "line"?, "column"?}}}. Hooks:
     *   "agent"     {"prompt", "label"?, "phase"?, "schema"?, "provider"?, "model"?}
     *   "workflow"  {"name", "args"?}
     *   "phase"     {"title"}        no answer is due: "id" is 0
     *   "log"       {"message"}      the same
     *   "wait"      {}               it goes on when one of its requests has been answered
     * Ids count from 1. [any]
     * Lifetime: the answer until `reply` returns. */
    foxwedge_status (*next)(const foxwedge_call* call, const foxwedge_script* self,
                            foxwedge_reply reply);

    /* Answer what it asked: {"id", "value", "budget"?}: one for each "wait". "budget" is what
     * `budget.left` says from then on. {"answers": [...]}: several in order, which may come before
     * the script says "wait" for them, or asks: what is on record of it. No answer. [any]
     * Lifetime: `request` until it returns. */
    foxwedge_status (*answer)(const foxwedge_call* call, const foxwedge_script* self,
                              foxwedge_str request, foxwedge_reply reply);

    /* End it at once; does nothing where none runs. No answer. [any]
     * Lifetime: the script ends here. */
    foxwedge_status (*kill)(const foxwedge_call* call, const foxwedge_script* self,
                            foxwedge_reply reply);
};

/* The host's own judges, so that a plugin need not bring one. Pure; `call` may be NULL. */
typedef struct foxwedge_check foxwedge_check;
struct foxwedge_check {
    uint32_t struct_size;
    uint32_t reserved0;
    void* host_data;

    /* Compile once to use often: {"schema"} | {"rule", "names"?}, a JSON Schema or a CEL
     * expression over these names. Answer: {"handle"}, any JSON value, to be given back
     * unchanged. A mistake in it: FOXWEDGE_E_INVALID. [any]
     * Lifetime: the handle until `release` or foxwedge_entry.close. */
    foxwedge_status (*compile)(const foxwedge_call* call, const foxwedge_check* self,
                               foxwedge_str request, foxwedge_reply reply);

    /* Give a handle back: {"handle"}. No answer. [any]
     * Lifetime: the handle ends here. */
    foxwedge_status (*release)(const foxwedge_call* call, const foxwedge_check* self,
                               foxwedge_str request, foxwedge_reply reply);

    /* Validate a value: {"instance", "handle" | "schema"}. Answer: {"valid", "violations":
     * [{"instancePointer", "schemaPointer", "message"}]}, all of them. [any]
     * Lifetime: `request` until it returns. */
    foxwedge_status (*validate)(const foxwedge_call* call, const foxwedge_check* self,
                                foxwedge_str request, foxwedge_reply reply);

    /* Evaluate a rule: {"rule" | "ruleHandle", "values": {name: value}}. Answer: {"value"}.
     * One that cannot be evaluated: FOXWEDGE_E_FAILED. [any]
     * Lifetime: `request` until it returns. */
    foxwedge_status (*evaluate)(const foxwedge_call* call, const foxwedge_check* self,
                                foxwedge_str request, foxwedge_reply reply);

    /* Find what looks like a secret: {"text"}. Answer: {"secrets": [{"kind", "from", "to"}]},
     * byte offsets in the UTF-8 text. [any]
     * Lifetime: `request` until it returns. */
    foxwedge_status (*find_secrets)(const foxwedge_call* call, const foxwedge_check* self,
                                    foxwedge_str request, foxwedge_reply reply);
};

#ifdef __cplusplus
}
#endif
#endif /* FOXWEDGE_SERVICES_H */
