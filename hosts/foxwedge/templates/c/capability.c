/* A capability: tools that a model may call. This one has one, `remember`, which keeps a text under
 * a key in the host's store and says what was there before. */
#include <foxwedge/capability.h>
#include <foxwedge/services.h>

#include "plugin.h"

typedef struct tools {
    foxwedge_capability api;
    const foxwedge_store* store;
} tools;

static const char list[] =
    "{\"tools\":[{\"name\":\"remember\","
    "\"description\":\"Keeps a text under a key and gives what was kept there before.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{"
    "\"key\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":100},"
    "\"text\":{\"type\":\"string\",\"maxLength\":10000}},"
    "\"required\":[\"key\",\"text\"],\"additionalProperties\":false},"
    "\"annotations\":{\"readOnlyHint\":false},"
    /* All that lasts goes through the store, which commits with the call or not at all. */
    "\"effect\":\"store\",\"parallelSafe\":true}]}";

static foxwedge_status list_tools(foxwedge_instance* self, const foxwedge_call* call) {
    (void)self;
    call->set_result(call, str(list));
    return FOXWEDGE_OK;
}

/* The store's answer, kept beyond the call that gives it. */
static void keep(void* data, foxwedge_str answer) {
    json_put((json_out*)data, answer.data, answer.size);
}

static foxwedge_status remember(const tools* t, json arguments, const foxwedge_call* call) {
    const json key = json_member(arguments, "key"), text = json_member(arguments, "text");
    json_out request = {NULL, 0, 0, 0}, answer = {NULL, 0, 0, 0}, result = {NULL, 0, 0, 0};
    foxwedge_reply reply;
    foxwedge_status status;
    json results, before;
    if (!json_is(key, '"') || !json_is(text, '"'))
        return fail(call, FOXWEDGE_E_INVALID, "input_validation", "key and text must be texts");
    /* Both are JSON strings already, and go on as they are. */
    json_raw(&request, "{\"ops\":[{\"op\":\"get\",\"scope\":\"project\",\"key\":");
    json_put(&request, key.at, (size_t)(key.end - key.at));
    json_raw(&request, "},{\"op\":\"put\",\"scope\":\"project\",\"key\":");
    json_put(&request, key.at, (size_t)(key.end - key.at));
    json_raw(&request, ",\"value\":");
    json_put(&request, text.at, (size_t)(text.end - text.at));
    json_raw(&request, "}]}");
    reply.data = &answer;
    reply.give = keep;
    status = request.failed ? FOXWEDGE_E_INTERNAL
                            : t->store->apply(call, t->store, str(request.data), reply);
    json_free(&request);
    if (status != FOXWEDGE_OK || answer.failed) {
        json_free(&answer);
        return status != FOXWEDGE_OK ? status /* the store has said why */ : FOXWEDGE_E_INTERNAL;
    }
    results = json_elements(json_member(json_whole(str(answer.data)), "results"));
    if (!json_next(&results, &before)) before = results;
    before = json_member(before, "value");
    json_raw(&result, "{\"content\":[{\"type\":\"text\",\"text\":\"kept\"}],"
                      "\"structuredContent\":{\"before\":");
    if (json_is(before, '"'))
        json_put(&result, before.at, (size_t)(before.end - before.at));
    else
        json_raw(&result, "null");
    json_raw(&result, "}}");
    json_free(&answer);
    return give(call, &result);
}

static foxwedge_status run_tool(foxwedge_instance* self, foxwedge_str name, foxwedge_str arguments,
                                const foxwedge_call* call) {
    if (name.size != 8 || memcmp(name.data, "remember", 8) != 0)
        return fail(call, FOXWEDGE_E_UNSUPPORTED, "unknown_tool", "there is only remember");
    return remember(self->plugin_data, json_whole(arguments), call);
}

static void destroy(foxwedge_instance* self) {
    free(self->plugin_data);
}

static foxwedge_status create(const foxwedge_factory* self, const foxwedge_host* host,
                              foxwedge_str config, const foxwedge_call* call,
                              foxwedge_instance** instance) {
    tools* t;
    const foxwedge_store* store = host->service(host, str(FOXWEDGE_SERVICE_STORE));
    (void)self;
    (void)config;
    if (store == NULL)
        return fail(call, FOXWEDGE_E_UNSUPPORTED, "unavailable", "this host has no store");
    t = calloc(1, sizeof *t);
    if (t == NULL) return FOXWEDGE_E_TRANSIENT; /* nothing lasting has happened */
    t->store = store;
    t->api.base.struct_size = sizeof t->api;
    t->api.base.flags = FOXWEDGE_CONCURRENT; /* nothing in it changes */
    t->api.base.plugin_data = t;
    t->api.base.destroy = destroy;
    t->api.list_tools = list_tools;
    t->api.run_tool = run_tool;
    *instance = &t->api.base;
    return FOXWEDGE_OK;
}

static const foxwedge_factory factory = {sizeof(foxwedge_factory), 0, STR(FOXWEDGE_KIND_CAPABILITY),
                                         STR("@NAME@"), create};
PLUGIN_WITH(factory);
