/* Exhibits that are broken before their first verb. MUSEUM_FAULT picks one; MUSEUM_ID is its name.
 */
#include <unistd.h>

#include <foxwedge/abi.h>

#define FAULT_NONE 0
#define FAULT_NO_NOTE 1
#define FAULT_NO_ENTRY 2
#define FAULT_SHORT_ENTRY 3
#define FAULT_LONG_ENTRY 4
#define FAULT_NEWER_HOST 5
#define FAULT_NULL_OPEN 6
#define FAULT_NULL_VERB 7
#define FAULT_NO_INSTANCE 8
#define FAULT_SHORT_INSTANCE 9
#define FAULT_OTHER_MAJOR 10
#define FAULT_UNLISTED_FACTORY 11
#define FAULT_ENDLESS_FACTORIES 12
#define FAULT_OPEN_FAILS 13
#define FAULT_OPEN_HANGS 14
#define FAULT_OPEN_CRASHES 15
#define FAULT_UNDEFINED_SYMBOL 16
#define FAULT_UNKNOWN_KIND 17
#define FAULT_CREATE_SAYS_NO 18
#define FAULT_SHARED_NAME 19
#define FAULT_NULL_CLOSE 20
#define FAULT_NULL_FACTORY_AT 21
#define FAULT_NULL_CREATE 22
#define FAULT_NULL_DESTROY 23
#define FAULT_CREATE_HANGS 24
#define FAULT_CREATE_CRASHES 25
#define FAULT_LIST_HANGS 26

#if MUSEUM_FAULT == FAULT_NO_NOTE
#define MUSEUM_NO_NOTE
#elif MUSEUM_FAULT == FAULT_NO_ENTRY
#define MUSEUM_NO_ENTRY
#elif MUSEUM_FAULT == FAULT_SHORT_ENTRY
#define MUSEUM_ENTRY                                                                               \
    { sizeof(foxwedge_entry) - 8, FOXWEDGE_ABI_MINOR, 0, 0, museum_open, museum_close, factory_at }
#elif MUSEUM_FAULT == FAULT_LONG_ENTRY
#define MUSEUM_ENTRY                                                                               \
    {                                                                                              \
        sizeof(foxwedge_entry) + 64, FOXWEDGE_ABI_MINOR + 7, 0, 0, museum_open, museum_close,      \
            factory_at                                                                             \
    }
#elif MUSEUM_FAULT == FAULT_NEWER_HOST
#define MUSEUM_ENTRY                                                                               \
    { sizeof(foxwedge_entry), 99, 99, 0, museum_open, museum_close, factory_at }
#elif MUSEUM_FAULT == FAULT_NULL_OPEN
#define MUSEUM_ENTRY                                                                               \
    { sizeof(foxwedge_entry), FOXWEDGE_ABI_MINOR, 0, 0, NULL, museum_close, factory_at }
#elif MUSEUM_FAULT == FAULT_NULL_CLOSE
#define MUSEUM_ENTRY                                                                               \
    { sizeof(foxwedge_entry), FOXWEDGE_ABI_MINOR, 0, 0, museum_open, NULL, factory_at }
#elif MUSEUM_FAULT == FAULT_NULL_FACTORY_AT
#define MUSEUM_ENTRY                                                                               \
    { sizeof(foxwedge_entry), FOXWEDGE_ABI_MINOR, 0, 0, museum_open, museum_close, NULL }
#elif MUSEUM_FAULT == FAULT_NULL_CREATE
#define MUSEUM_FACTORY_CREATE NULL
#elif MUSEUM_FAULT == FAULT_NULL_DESTROY
#define MUSEUM_INSTANCE made->base.destroy = NULL
#elif MUSEUM_FAULT == FAULT_CREATE_HANGS
#define MUSEUM_CREATE                                                                              \
    for (;;) pause()
#elif MUSEUM_FAULT == FAULT_CREATE_CRASHES
#define MUSEUM_CREATE abort()
#elif MUSEUM_FAULT == FAULT_LIST_HANGS
#define MUSEUM_LIST_TOOLS                                                                          \
    for (;;) pause()
#elif MUSEUM_FAULT == FAULT_NULL_VERB
#define MUSEUM_INSTANCE made->run_tool = NULL
#elif MUSEUM_FAULT == FAULT_NO_INSTANCE
#define MUSEUM_CREATE return FOXWEDGE_OK
#elif MUSEUM_FAULT == FAULT_SHORT_INSTANCE
#define MUSEUM_INSTANCE made->base.struct_size = sizeof(foxwedge_instance) + 8
#elif MUSEUM_FAULT == FAULT_OTHER_MAJOR
#define MUSEUM_ABI "\"abi\":{\"major\":99,\"minMinor\":0}"
#elif MUSEUM_FAULT == FAULT_UNLISTED_FACTORY
#define MUSEUM_COMPONENT "stranger"
#elif MUSEUM_FAULT == FAULT_ENDLESS_FACTORIES
#define MUSEUM_ENDLESS
#elif MUSEUM_FAULT == FAULT_OPEN_FAILS
#define MUSEUM_OPEN                                                                                \
    call->set_error(call, museum_str("no_licence"), museum_str("the licence has run out"),         \
                    museum_str(""));                                                               \
    return FOXWEDGE_E_FAILED
#elif MUSEUM_FAULT == FAULT_OPEN_HANGS
#define MUSEUM_OPEN                                                                                \
    for (;;) pause()
#elif MUSEUM_FAULT == FAULT_OPEN_CRASHES
#define MUSEUM_OPEN abort()
#elif MUSEUM_FAULT == FAULT_UNDEFINED_SYMBOL
void host_v9_fn(void);
#define MUSEUM_OPEN host_v9_fn()
#elif MUSEUM_FAULT == FAULT_UNKNOWN_KIND
#define MUSEUM_KIND "foxwedge.teleport/1"
#elif MUSEUM_FAULT == FAULT_CREATE_SAYS_NO
#define MUSEUM_CREATE                                                                              \
    call->set_error(call, museum_str("no_key"), museum_str("the key file is missing"),             \
                    museum_str("{\"pointer\":\"/key\"}"));                                         \
    return FOXWEDGE_E_INVALID
#elif MUSEUM_FAULT == FAULT_SHARED_NAME
/* Another plugin, and another version of this one, have a function of the same name. */
const char* foxwedge_museum_helper(void);
#define MUSEUM_HELPER foxwedge_museum_helper
#endif

#include "museum.h"

#if MUSEUM_FAULT == FAULT_SHARED_NAME
#ifdef MUSEUM_STRAY
FOXWEDGE_EXPORT
#endif
const char* foxwedge_museum_helper(void) {
    return MUSEUM_TOOLS;
}
#endif
