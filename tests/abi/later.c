/* A plugin of a minor to come (minors_test.py makes its headers): it uses what is new where the
 * host has it, and does without where it has not. Its tool says which. */
#include <stdlib.h>
#include <string.h>

#include <foxwedge/capability.h>
#include <foxwedge/services.h>

static foxwedge_str str(const char* text) {
    foxwedge_str s;
    s.data = text;
    s.size = strlen(text);
    return s;
}

static const foxwedge_host* the_host;

static foxwedge_status list_tools(foxwedge_instance* self, const foxwedge_call* call) {
    (void)self;
    call->set_result(call,
                     str("{\"tools\":[{\"name\":\"look\",\"description\":\"Looks at the host.\","
                         "\"inputSchema\":{\"type\":\"object\"},\"effect\":\"none\","
                         "\"notOfThisMinor\":true}]}"));
    return FOXWEDGE_OK;
}

static foxwedge_status run_tool(foxwedge_instance* self, foxwedge_str name, foxwedge_str arguments,
                                const foxwedge_call* call) {
    const int has_note = FOXWEDGE_HAS(foxwedge_call, call, note) && call->note != NULL;
    const foxwedge_store* store = the_host->service(the_host, str(FOXWEDGE_SERVICE_STORE));
    const int has_compact = store != NULL && FOXWEDGE_HAS(foxwedge_store, store, compact);
    (void)self;
    (void)arguments;
    if (name.size != 4 || memcmp(name.data, "look", 4) != 0) return FOXWEDGE_E_UNSUPPORTED;
    call->emit(call, FOXWEDGE_EVENT_OF_LATER, str("{}")); /* a host skips what it does not know */
    if (the_host->service(the_host, str("foxwedge.of-later/1")) != NULL) return FOXWEDGE_E_INTERNAL;
    call->set_result(call,
                     has_note && has_compact
                         ? str("{\"content\":[{\"type\":\"text\",\"text\":\"a later host\"}]}")
                         : str("{\"content\":[{\"type\":\"text\",\"text\":\"an older host\"}]}"));
    return FOXWEDGE_OK;
}

static void destroy(foxwedge_instance* self) {
    free(self);
}

static foxwedge_status create(const foxwedge_factory* self, const foxwedge_host* host,
                              foxwedge_str config, const foxwedge_call* call,
                              foxwedge_instance** instance) {
    foxwedge_capability* made = calloc(1, sizeof *made);
    (void)self;
    (void)config;
    (void)call;
    if (made == NULL) return FOXWEDGE_E_TRANSIENT;
    the_host = host;
    made->base.struct_size = sizeof *made;
    made->base.destroy = destroy;
    made->list_tools = list_tools;
    made->run_tool = run_tool;
    *instance = &made->base;
    return FOXWEDGE_OK;
}

static const foxwedge_factory factory = {
    sizeof(foxwedge_factory),
    0,
    {FOXWEDGE_KIND_CAPABILITY, sizeof FOXWEDGE_KIND_CAPABILITY - 1},
    {"later", 5},
    create};

static foxwedge_status open_plugin(const foxwedge_host* host, const foxwedge_call* call) {
    (void)host;
    (void)call;
    return FOXWEDGE_OK;
}
static void close_plugin(void) {}
static const foxwedge_factory* factory_at(uint32_t index) {
    return index == 0 ? &factory : NULL;
}

const foxwedge_entry foxwedge_entry_v1 = {
    sizeof(foxwedge_entry), FOXWEDGE_ABI_MINOR, 0, 0, open_plugin, close_plugin, factory_at, NULL};
FOXWEDGE_DESCRIPTOR(
    "{\"id\":\"capability-later\",\"version\":\"1.0.0\",\"title\":\"Of a minor to come\","
    "\"abi\":{\"major\":1,\"minMinor\":0},\"components\":[{\"kind\":"
    "\"foxwedge.capability/1\",\"id\":\"later\",\"title\":\"Looks\"}]}");
