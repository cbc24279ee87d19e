/* A capability in plain C. Its one tool, `tally`, counts how often it was told a word. The counts
 * lie in the host's store, so a call that is done again after a crash counts once.
 *
 * Build: note.py descriptor.json capability-words note.c
 *        cc -std=c99 -shared -fPIC -fvisibility=hidden -Wl,--version-script=plugin.map \
 *           words.c note.c -o capability-words.so */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <foxwedge/capability.h>
#include <foxwedge/services.h>

#define LITERAL(s)                                                                                 \
    { s, sizeof(s) - 1 }

typedef struct words {
    foxwedge_capability api;
    const foxwedge_store* store;
} words;

static foxwedge_str str(const char* s) {
    foxwedge_str r;
    r.data = s;
    r.size = strlen(s);
    return r;
}

static foxwedge_status list_tools(foxwedge_instance* self, const foxwedge_call* call) {
    (void)self;
    call->set_result(call, str("{\"tools\":[{\"name\":\"tally\","
                               "\"description\":\"Counts a word and says how often it came.\","
                               "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"word\":"
                               "{\"type\":\"string\",\"minLength\":1,\"maxLength\":80}},"
                               "\"required\":[\"word\"],\"additionalProperties\":false},"
                               "\"annotations\":{},\"effect\":\"store\",\"parallelSafe\":true}]}"));
    return FOXWEDGE_OK;
}

/* The one text in {"word": "..."}, still as JSON with its quotes. The arguments have passed the
 * schema, which allows nothing else, so the text is what stands between the last two quotes that
 * are not escaped, and no JSON library is needed. */
static foxwedge_str only_text(foxwedge_str json) {
    foxwedge_str none = {NULL, 0}, found = {NULL, 0};
    size_t at, from = 0;
    int inside = 0;
    for (at = 0; at < json.size; at++) {
        if (json.data[at] == '\\') {
            at++;
        } else if (json.data[at] == '"') {
            if (inside) {
                found.data = json.data + from;
                found.size = at + 1 - from;
            }
            from = at;
            inside = !inside;
        }
    }
    return inside || found.size <= 2 ? none : found;
}

/* The store's answer is {"results":[{"value":N}]}: put into the tool's result as it is. */
static void keep_answer(void* data, foxwedge_str answer) {
    static const char head[] = "{\"content\":[{\"type\":\"text\",\"text\":\"counted\"}],"
                               "\"structuredContent\":";
    char** result = data;
    char* out = malloc(sizeof head + answer.size + 1);
    if (out == NULL) return;
    memcpy(out, head, sizeof head - 1);
    memcpy(out + sizeof head - 1, answer.data, answer.size);
    memcpy(out + sizeof head - 1 + answer.size, "}", 2);
    free(*result);
    *result = out;
}

static foxwedge_status tally(words* w, foxwedge_str word, const foxwedge_call* call) {
    char request[1024];
    char* result = NULL;
    foxwedge_reply reply = {NULL, keep_answer};
    foxwedge_status status;
    if (word.size > 800) {
        call->set_error(call, str("input_validation"), str("the word is too long"),
                        str("{\"pointer\":\"/word\",\"limit\":80}"));
        return FOXWEDGE_E_INVALID;
    }
    snprintf(request, sizeof request,
             "{\"ops\":[{\"op\":\"add\",\"scope\":\"project\",\"key\":%.*s,\"by\":1}]}",
             (int)word.size, word.data);
    reply.data = &result;
    status = w->store->apply(call, w->store, str(request), reply);
    if (status == FOXWEDGE_OK && result == NULL) {
        call->set_error(call, str("out_of_memory"), str("no memory for the answer"), str(""));
        status = FOXWEDGE_E_INTERNAL;
    }
    if (status == FOXWEDGE_OK) call->set_result(call, str(result));
    free(result);
    return status; /* the store has said what went wrong */
}

static foxwedge_status run_tool(foxwedge_instance* self, foxwedge_str name, foxwedge_str arguments,
                                const foxwedge_call* call) {
    foxwedge_str word = only_text(arguments);
    if (name.size != 5 || memcmp(name.data, "tally", 5) != 0) {
        call->set_error(call, str("unknown_tool"), str("there is only tally"), str(""));
        return FOXWEDGE_E_UNSUPPORTED;
    }
    if (word.data == NULL) {
        call->set_error(call, str("input_validation"), str("word must be a text"),
                        str("{\"pointer\":\"/word\"}"));
        return FOXWEDGE_E_INVALID;
    }
    return tally(self->plugin_data, word, call);
}

static void destroy(foxwedge_instance* self) {
    free(self->plugin_data);
}

static foxwedge_status create(const foxwedge_factory* self, const foxwedge_host* host,
                              foxwedge_str config, const foxwedge_call* call,
                              foxwedge_instance** instance) {
    const foxwedge_store* store = host->service(host, str(FOXWEDGE_SERVICE_STORE));
    words* w;
    (void)self;
    (void)config;
    if (store == NULL) {
        call->set_error(call, str("unavailable"), str("this host has no store"), str(""));
        return FOXWEDGE_E_UNSUPPORTED;
    }
    w = calloc(1, sizeof *w);
    if (w == NULL) return FOXWEDGE_E_TRANSIENT; /* nothing lasting has happened */
    w->store = store;
    w->api.base.struct_size = sizeof w->api;
    w->api.base.flags = FOXWEDGE_CONCURRENT;
    w->api.base.plugin_data = w;
    w->api.base.destroy = destroy;
    w->api.list_tools = list_tools;
    w->api.run_tool = run_tool;
    *instance = &w->api.base;
    return FOXWEDGE_OK;
}

static const foxwedge_factory factories[] = {
    {sizeof(foxwedge_factory), 0, LITERAL(FOXWEDGE_KIND_CAPABILITY), LITERAL("words"), create},
    {sizeof(foxwedge_factory), 0, LITERAL("foxwedge.teleport/1"), LITERAL("beam"), create},
};

static foxwedge_status open_plugin(const foxwedge_host* host, const foxwedge_call* call) {
    (void)host;
    (void)call;
    return FOXWEDGE_OK;
}

static void close_plugin(void) {}

static const foxwedge_factory* factory_at(uint32_t index) {
    return index < sizeof factories / sizeof *factories ? &factories[index] : NULL;
}

#ifndef WORDS_MIN_HOST_MINOR /* a test builds one that is too new for this host */
#define WORDS_MIN_HOST_MINOR 0
#endif
const foxwedge_entry foxwedge_entry_v1 = {
    sizeof(foxwedge_entry), FOXWEDGE_ABI_MINOR, WORDS_MIN_HOST_MINOR, 0, open_plugin,
    close_plugin,           factory_at};
