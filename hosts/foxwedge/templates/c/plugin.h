/* plugin.h: what plugins in C have in common, whatever their kind. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "json.h"

#define STR(literal)                                                                               \
    { literal, sizeof(literal) - 1 }

static inline foxwedge_str str(const char* text) {
    foxwedge_str s;
    s.data = text;
    s.size = strlen(text);
    return s;
}

/* Says why, and gives the status back to be returned. */
static inline foxwedge_status fail(const foxwedge_call* call, foxwedge_status status,
                                   const char* code, const char* message) {
    call->set_error(call, str(code), str(message), str(""));
    return status;
}

/* Gives the result that was written, and ends the writing. */
static inline foxwedge_status give(const foxwedge_call* call, json_out* result) {
    foxwedge_str text;
    if (result->failed) {
        json_free(result);
        return fail(call, FOXWEDGE_E_INTERNAL, "out_of_memory", "no memory for the result");
    }
    text.data = result->data;
    text.size = result->size;
    call->set_result(call, text);
    json_free(result);
    return FOXWEDGE_OK;
}

/* The entry of a plugin with one component: there is nothing to open and nothing to close. */
static inline foxwedge_status open_plugin(const foxwedge_host* host, const foxwedge_call* call) {
    (void)host;
    (void)call;
    return FOXWEDGE_OK;
}
static inline void close_plugin(void) {}

#define PLUGIN_WITH(factory)                                                                       \
    static const foxwedge_factory* factory_at(uint32_t index) {                                    \
        return index == 0 ? &(factory) : NULL;                                                     \
    }                                                                                              \
    const foxwedge_entry foxwedge_entry_v1 = {                                                     \
        sizeof(foxwedge_entry), FOXWEDGE_ABI_MINOR, 0, 0, open_plugin, close_plugin, factory_at}

#endif
