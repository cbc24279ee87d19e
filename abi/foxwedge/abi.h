/* foxwedge/abi.h: what every plugin shares with the host, whatever its kind.
 *
 * A plugin is one shared library with one exported symbol, `foxwedge_entry_v1`, and a
 * descriptor that can be read without running it. The host calls few functions, with
 * small typed arguments and JSON; it is called back through structs of functions that
 * it hands over. docs/abi.md tells the same at more length.
 *
 * Language   C99 and C++11, nothing but the C library. `long double`, bit fields and
 *            C enums never appear. Every gap in a struct has a name.
 * Growth     A struct whose first member is `struct_size` may get members at its end in
 *            a later minor version, and never loses, moves or retypes one. Ask
 *            FOXWEDGE_HAS() before you touch a member that is newer than the oldest
 *            version you work with. "Frozen" structs stay as they are for the whole
 *            major version. `reserved` members are 0.
 * Ownership  Who made a thing destroys it. No memory is freed across the boundary, so
 *            no allocator is shared.
 * Borrowing  What a function is given is valid until it returns, unless it says
 *            otherwise. Copy what you keep.
 * Text       UTF-8 as pointer and size, not ended by NUL. JSON is one complete RFC 8259
 *            text with camelCase member names; a reader skips members it does not know.
 * Unwinding  No C++ exception, no Rust panic and no longjmp() crosses a call.
 * Lists      Numbers that a plugin reports (events) may become more: the host skips
 *            what it does not know. Numbers that the host sends (placements) go only to
 *            plugins that asked for them.
 * Threads    Each function says who calls it, and when:
 *              [control]  the host's control thread. Be quick: no waiting.
 *              [worker]   a host thread with at least 1 MiB of stack. May block. One
 *                         call at a time per instance, unless the instance says
 *                         FOXWEDGE_CONCURRENT.
 *              [caller]   a callback: on the thread that called the host function it was
 *                         given to, before that function returns.
 *              [verb]     a host function that only the thread may call on which the
 *                         host called the plugin.
 *              [any]      any thread, at the same time as others, within the lifetime
 *                         that is stated.
 */
#ifndef FOXWEDGE_ABI_H
#define FOXWEDGE_ABI_H

#include <stddef.h>
#include <stdint.h>

#define FOXWEDGE_ABI_MAJOR 1u /* also in the name of the entry symbol */
#define FOXWEDGE_ABI_MINOR 0u /* what these headers describe */

#define FOXWEDGE_EXPORT __attribute__((visibility("default")))

/* Non-zero if the struct of `type` at `p`, which starts with struct_size, is long enough
 * to have `member`. */
#define FOXWEDGE_HAS(type, p, member)                                                              \
    (*(const uint32_t*)(const void*)(p) >=                                                         \
     offsetof(type, member) + sizeof(((const type*)0)->member))

#ifdef __cplusplus
extern "C" {
#endif

/* Borrowed UTF-8. `data` may be NULL if `size` is 0. Frozen. */
typedef struct foxwedge_str {
    const char* data;
    size_t size;
} foxwedge_str;

/* How a call ended. What went wrong in words goes through foxwedge_call.set_error. The
 * difference between TRANSIENT, FAILED and UNKNOWN decides whether the host may do the
 * thing again, so never guess TRANSIENT. */
typedef int32_t foxwedge_status;
#define FOXWEDGE_OK 0
#define FOXWEDGE_PARKED 1           /* nothing to do until a registered wait is over */
#define FOXWEDGE_E_INVALID (-1)     /* the request is wrong and will stay wrong */
#define FOXWEDGE_E_UNSUPPORTED (-2) /* this plugin, or this host, does not offer that */
#define FOXWEDGE_E_TRANSIENT (-3)   /* a promise: nothing lasting has happened */
#define FOXWEDGE_E_FAILED (-4)      /* the other side did its work and answered no */
#define FOXWEDGE_E_CANCELLED (-5)   /* gave up because the host asked for it */
#define FOXWEDGE_E_INTERNAL (-6)    /* a mistake in the plugin */
#define FOXWEDGE_E_UNKNOWN (-7)     /* it may have happened: lost in the middle */

/* FOXWEDGE_PARKED needs a wait that the call registered through the service `agents` or
 * `wait`; without one it counts as FOXWEDGE_E_INTERNAL. It commits the call's writes to
 * the store (the checkpoint), is no attempt and counts against no time limit. Later the
 * same verb is called with the same arguments and step key, on any instance and in any
 * process. */

/* The host, for as long as the plugin is open. */
typedef struct foxwedge_host foxwedge_host;
struct foxwedge_host {
    uint32_t struct_size;
    uint32_t abi_minor; /* the newest minor version that this host speaks */
    void* host_data;    /* the host's own */

    /* The struct that services.h declares under `id`, or NULL where this host does not
     * offer it. [any]
     * Lifetime: `id` until it returns; the struct until foxwedge_entry.close returns. */
    const void* (*service)(const foxwedge_host* host, foxwedge_str id);
};

/* Events, and the JSON that goes with each. */
#define FOXWEDGE_EVENT_TEXT 1u      /* {"text"}: the next piece of the answer */
#define FOXWEDGE_EVENT_REASONING 2u /* {"text"}: the next piece of the reasoning */
#define FOXWEDGE_EVENT_TOOL_CALL 3u /* {"index", "id"?, "name"?, "arguments"?}: a piece */
#define FOXWEDGE_EVENT_USAGE 4u     /* {"input", "output", "cacheRead", ...} so far */
#define FOXWEDGE_EVENT_PROGRESS 5u  /* {"progress", "total"?, "message"?} */
#define FOXWEDGE_EVENT_LOG 6u       /* {"level", "text"} for people who watch this run */

/* One call of one verb: the only way back to the host, valid until the verb returns. A
 * call that stays too long after it was cancelled is abandoned: its struct stays valid,
 * but nothing that it still reports or asks for has an effect. */
typedef struct foxwedge_call foxwedge_call;
struct foxwedge_call {
    uint32_t struct_size;
    uint32_t reserved0;
    void* host_data; /* the host's own */

    /* Names the step that this call works for: the same text each time the host does the
     * step again, never the same for two steps. Give it to the outside as idempotency
     * key. Empty outside a step (in open, create, list_tools, describe). */
    foxwedge_str step_key;

    /* JSON {"project", "conversation", "run", "agent", "user"}, each a text. */
    foxwedge_str context;

    /* Non-zero once the host wants this call to end. [any]
     * Lifetime: `call` until the verb returns. */
    int32_t (*cancelled)(const foxwedge_call* call);

    /* Milliseconds that are left: 0 when they are used up, -1 where nothing limits the
     * call. [any]
     * Lifetime: `call` until the verb returns. */
    int64_t (*time_left_ms)(const foxwedge_call* call);

    /* Report an event. May block for a while: the host slows down a plugin that outruns
     * its readers. After FOXWEDGE_E_CANCELLED clean up and return that status. [verb]
     * Lifetime: `payload` is copied before it returns. */
    foxwedge_status (*emit)(const foxwedge_call* call, uint32_t event, foxwedge_str payload);

    /* Give the result: exactly once, in a verb that then returns FOXWEDGE_OK. `open` and
     * `create` have no result. [verb]
     * Lifetime: `json` is copied before it returns. */
    void (*set_result)(const foxwedge_call* call, foxwedge_str json);

    /* Say why the verb is about to return something other than FOXWEDGE_OK. `code`: a
     * stable lower_snake_case word for programs. `message`: a sentence for people.
     * `details`: a JSON object or empty; in it retryAfterMs, httpStatus, pointer, limit,
     * line and column have fixed meanings. Given twice, the last counts. [verb]
     * Lifetime: all three are copied before it returns. */
    void (*set_error)(const foxwedge_call* call, foxwedge_str code, foxwedge_str message,
                      foxwedge_str details);
};

#define FOXWEDGE_CONCURRENT 1u /* a flag of an instance: its verbs may run side by side */

/* The head of every instance. The struct of a kind starts with it; the host casts. Frozen:
 * a kind grows at its own end. */
typedef struct foxwedge_instance foxwedge_instance;
struct foxwedge_instance {
    uint32_t struct_size; /* of the kind's whole struct */
    uint32_t flags;
    void* plugin_data; /* the plugin's own */

    /* Free the instance. Called once, while no verb runs on it; never for an instance
     * that was left with an abandoned call. [control]
     * Lifetime: `self` ends here. */
    void (*destroy)(foxwedge_instance* self);

    /* May be NULL. `call`, which runs on this instance, was cancelled: wake it if it waits
     * for something other than the host. Be quick. [any]
     * Lifetime: `self` and `call` until it returns, even if the verb returned meanwhile. */
    void (*interrupt)(foxwedge_instance* self, const foxwedge_call* call);
};

/* A thing that the plugin can make. `kind` and `id` are those of a component in the
 * descriptor, where all else about it stands. */
typedef struct foxwedge_factory foxwedge_factory;
struct foxwedge_factory {
    uint32_t struct_size;
    uint32_t reserved0;
    foxwedge_str kind; /* "foxwedge.capability/1" and so on: see the header of the kind */
    foxwedge_str id;

    /* Make an instance. `config` is a JSON object that fits the component's configSchema.
     * On FOXWEDGE_OK, and only then, *instance is a struct of the factory's kind. The host
     * may make several with one config. [worker], and side by side.
     * Lifetime: `host` until foxwedge_entry.close returns, the instance until its destroy
     * returns, all else until it returns. */
    foxwedge_status (*create)(const foxwedge_factory* self, const foxwedge_host* host,
                              foxwedge_str config, const foxwedge_call* call,
                              foxwedge_instance** instance);
};

/* The one symbol that a plugin exports. It is constant data: sizes, versions and NULL
 * functions are found out before any code of the plugin runs. */
typedef struct foxwedge_entry {
    uint32_t struct_size;
    uint32_t abi_minor;      /* FOXWEDGE_ABI_MINOR of the headers it was built with */
    uint32_t min_host_minor; /* the oldest host that it can work with */
    uint32_t reserved0;

    /* Get ready for factory_at. No input or output, no threads. [control]
     * Lifetime: `host` until close returns, `call` until it returns. */
    foxwedge_status (*open)(const foxwedge_host* host, const foxwedge_call* call);

    /* Undo open. All instances are gone; all threads of the plugin must be gone when it
     * returns. The library stays in memory, and open may be called again. [control]
     * Lifetime: factories, the host and its services end here. */
    void (*close)(void);

    /* The factory with this number, from 0 on; NULL past the last. The host skips kinds
     * that it does not know. [any]
     * Lifetime: the factory until close returns. */
    const foxwedge_factory* (*factory_at)(uint32_t index);
} foxwedge_entry;

#define FOXWEDGE_ENTRY_SYMBOL "foxwedge_entry_v1"
extern FOXWEDGE_EXPORT const foxwedge_entry foxwedge_entry_v1;

/* The descriptor is a JSON object in an ELF note (name "foxwedge", type 1, no NUL at its
 * end, padded to 4 bytes), so that a host lists and checks a plugin by reading its file.
 * note.py, installed beside these headers, makes the note from descriptor.json. This macro,
 * once at file scope, does the same for one string literal; C99 ends those at 4095 bytes. */
#define FOXWEDGE_NOTE_SECTION ".note.foxwedge"
#define FOXWEDGE_NOTE_NAME "foxwedge"
#define FOXWEDGE_NOTE_TYPE 1u
#if defined(__clang__) /* a sanitizer's red zone would be taken for part of the note */
#define FOXWEDGE_NOTE                                                                              \
    __attribute__((used, section(FOXWEDGE_NOTE_SECTION), aligned(4), no_sanitize("address")))
#else
#define FOXWEDGE_NOTE __attribute__((used, section(FOXWEDGE_NOTE_SECTION), aligned(4)))
#endif
/* `text` is as long as the padded JSON and one note without name and text: the NUL that C++ wants
 * behind a literal has its place in those zeros, and a reader of notes meets nothing odd. */
#define FOXWEDGE_DESCRIPTOR(json)                                                                  \
    FOXWEDGE_NOTE static const struct {                                                            \
        uint32_t name_size, json_size, type;                                                       \
        char name[12];                                                                             \
        char text[(sizeof(json) + 2u) / 4u * 4u + 12u];                                            \
    } foxwedge_descriptor = {sizeof(FOXWEDGE_NOTE_NAME), sizeof(json) - 1u, FOXWEDGE_NOTE_TYPE,    \
                             FOXWEDGE_NOTE_NAME, json}

#ifdef __cplusplus
}
#endif
#endif /* FOXWEDGE_ABI_H */
