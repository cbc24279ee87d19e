/* What the exhibits share: an entry, one factory and one capability in plain C. A source defines
 * its faults before it includes this; everything else is as it should be. */
#ifndef FOXWEDGE_MUSEUM_H
#define FOXWEDGE_MUSEUM_H

#include <stdlib.h>
#include <string.h>

#include <foxwedge/capability.h>

#ifndef MUSEUM_OPEN_STATUS
#define MUSEUM_OPEN_STATUS FOXWEDGE_OK
#endif
#ifndef MUSEUM_KIND
#define MUSEUM_KIND FOXWEDGE_KIND_CAPABILITY
#endif
#ifndef MUSEUM_COMPONENT
#define MUSEUM_COMPONENT MUSEUM_ID
#endif
#ifndef MUSEUM_VERSION
#define MUSEUM_VERSION "1.0.0"
#endif
#ifndef MUSEUM_ABI
#define MUSEUM_ABI "\"abi\":{\"major\":1,\"minMinor\":0}"
#endif

#define MUSEUM_TOOLS                                                                               \
    "{\"tools\":[{\"name\":\"" MUSEUM_ID "-" MUSEUM_VERSION                                        \
    "\",\"description\":\"\",\"inputSchema\":{\"type\":\"object\"}}]}"

static foxwedge_str museum_str(const char* text) {
    foxwedge_str s;
    s.data = text;
    s.size = strlen(text);
    return s;
}

#ifndef MUSEUM_NO_NOTE
FOXWEDGE_DESCRIPTOR("{\"id\":\"" MUSEUM_ID "\",\"version\":\"" MUSEUM_VERSION
                    "\",\"title\":\"An exhibit\"," MUSEUM_ABI
                    ",\"components\":[{\"kind\":\"" MUSEUM_KIND "\",\"id\":\"" MUSEUM_ID "\"}]}");
#endif

#ifndef MUSEUM_OWN_VERBS
static foxwedge_status list_tools(foxwedge_instance* self, const foxwedge_call* call) {
    (void)self;
#ifdef MUSEUM_LIST_TOOLS
    MUSEUM_LIST_TOOLS;
#endif
#ifdef MUSEUM_HELPER
    call->set_result(call, museum_str(MUSEUM_HELPER()));
#else
    call->set_result(call, museum_str(MUSEUM_TOOLS));
#endif
    return FOXWEDGE_OK;
}
static foxwedge_status run_tool(foxwedge_instance* self, foxwedge_str name, foxwedge_str arguments,
                                const foxwedge_call* call) {
    (void)self;
    (void)name;
    (void)arguments;
    call->set_result(call, museum_str("{\"content\":[]}"));
    return FOXWEDGE_OK;
}
#endif

static void destroy(foxwedge_instance* self) {
    free(self);
}

static foxwedge_status create(const foxwedge_factory* self, const foxwedge_host* host,
                              foxwedge_str config, const foxwedge_call* call,
                              foxwedge_instance** instance) {
    foxwedge_capability* made;
    (void)self;
    (void)host;
    (void)config;
    (void)call;
#ifdef MUSEUM_CREATE
    MUSEUM_CREATE;
#endif
    made = (foxwedge_capability*)calloc(1, sizeof *made);
    made->base.struct_size = sizeof *made;
    made->base.destroy = destroy;
    made->list_tools = list_tools;
    made->run_tool = run_tool;
#ifdef MUSEUM_INSTANCE
    MUSEUM_INSTANCE;
#endif
    *instance = &made->base;
    return FOXWEDGE_OK;
}

#ifndef MUSEUM_FACTORY_CREATE
#define MUSEUM_FACTORY_CREATE create
#endif
static const foxwedge_factory factory = {sizeof(foxwedge_factory),
                                         0,
                                         {MUSEUM_KIND, sizeof MUSEUM_KIND - 1},
                                         {MUSEUM_COMPONENT, sizeof MUSEUM_COMPONENT - 1},
                                         MUSEUM_FACTORY_CREATE};

static foxwedge_status museum_open(const foxwedge_host* host, const foxwedge_call* call) {
    (void)host;
    (void)call;
#ifdef MUSEUM_OPEN
    MUSEUM_OPEN;
#endif
    return FOXWEDGE_OK;
}
static void museum_close(void) {}
static const foxwedge_factory* factory_at(uint32_t index) {
#ifdef MUSEUM_ENDLESS
    (void)index;
    return &factory;
#else
    return index == 0 ? &factory : NULL;
#endif
}

#ifndef MUSEUM_ENTRY
#define MUSEUM_ENTRY                                                                               \
    { sizeof(foxwedge_entry), FOXWEDGE_ABI_MINOR, 0, 0, museum_open, museum_close, factory_at }
#endif
#ifndef MUSEUM_NO_ENTRY
const foxwedge_entry foxwedge_entry_v1 = MUSEUM_ENTRY;
#else
/* An older or newer major names its entry otherwise. */
extern FOXWEDGE_EXPORT const foxwedge_entry foxwedge_entry_v9;
const foxwedge_entry foxwedge_entry_v9 = MUSEUM_ENTRY;
#endif

#endif
