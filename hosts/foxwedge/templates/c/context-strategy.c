/* A context strategy: chooses how much of a long history the model is shown. This one shows the
 * newest groups, as many as are configured, and of what fits into the window. */
#include <foxwedge/context_strategy.h>

#include "plugin.h"

/* Pure: the plan depends on the request alone, its `config` (that of the agent) too, and what is
 * kept from plan to plan is its `state`. Here nothing is: the numbers of groups only grow, so the
 * newest is enough. */
static foxwedge_status plan(foxwedge_instance* self, foxwedge_str request,
                            const foxwedge_call* call) {
    const json asked = json_whole(request);
    const long long keep = json_integer(json_member(json_member(asked, "config"), "keep"), 20);
    json added = json_elements(json_member(asked, "added")), group;
    long long next = json_integer(json_member(asked, "firstGroup"), 0);
    char result[96];
    (void)self;
    while (json_next(&added, &group)) next = json_integer(json_member(group, "n"), next) + 1;
    snprintf(result, sizeof result, "{\"keepFrom\":%lld,\"pinned\":[],\"state\":\"\"}",
             next > keep ? next - keep : 0);
    call->set_result(call, str(result));
    return FOXWEDGE_OK;
}

static void destroy(foxwedge_instance* self) {
    free(self);
}

static foxwedge_status create(const foxwedge_factory* self, const foxwedge_host* host,
                              foxwedge_str config, const foxwedge_call* call,
                              foxwedge_instance** instance) {
    foxwedge_context_strategy* s = calloc(1, sizeof *s);
    (void)self;
    (void)host;
    (void)config;
    (void)call;
    if (s == NULL) return FOXWEDGE_E_TRANSIENT; /* nothing lasting has happened */
    s->base.struct_size = sizeof *s;
    s->base.flags = FOXWEDGE_CONCURRENT; /* nothing in it changes */
    s->base.destroy = destroy;
    s->plan = plan;
    *instance = &s->base;
    return FOXWEDGE_OK;
}

static const foxwedge_factory factory = {
    sizeof(foxwedge_factory), 0, STR(FOXWEDGE_KIND_CONTEXT_STRATEGY), STR("@NAME@"), create};
PLUGIN_WITH(factory);
