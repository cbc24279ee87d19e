/* Everything that the contract names, reachable from one function, so that the compiler writes it
 * all down in the debug information: abidiff compares that with the baseline. */
#include <foxwedge/capability.h>
#include <foxwedge/context_strategy.h>
#include <foxwedge/guardrail.h>
#include <foxwedge/provider.h>
#include <foxwedge/services.h>

FOXWEDGE_EXPORT int foxwedge_surface(const foxwedge_entry* entry, const foxwedge_factory* factory,
                                     const foxwedge_instance* instance, const foxwedge_host* host,
                                     const foxwedge_call* call,
                                     const foxwedge_capability* capability,
                                     const foxwedge_provider* provider,
                                     const foxwedge_guardrail* guardrail,
                                     const foxwedge_context_strategy* strategy);
FOXWEDGE_EXPORT int foxwedge_surface_of_services(
    const foxwedge_log* log, const foxwedge_http* http, const foxwedge_http_receiver* receiver,
    const foxwedge_store* store, const foxwedge_agents* agents, const foxwedge_wait* wait,
    const foxwedge_script* script, const foxwedge_check* check, foxwedge_reply reply);

int foxwedge_surface(const foxwedge_entry* entry, const foxwedge_factory* factory,
                     const foxwedge_instance* instance, const foxwedge_host* host,
                     const foxwedge_call* call, const foxwedge_capability* capability,
                     const foxwedge_provider* provider, const foxwedge_guardrail* guardrail,
                     const foxwedge_context_strategy* strategy) {
    return entry && factory && instance && host && call && capability && provider && guardrail &&
           strategy;
}

int foxwedge_surface_of_services(const foxwedge_log* log, const foxwedge_http* http,
                                 const foxwedge_http_receiver* receiver,
                                 const foxwedge_store* store, const foxwedge_agents* agents,
                                 const foxwedge_wait* wait, const foxwedge_script* script,
                                 const foxwedge_check* check, foxwedge_reply reply) {
    return log && http && receiver && store && agents && wait && script && check && reply.data;
}
