// Where everything is in ABI 1.0, and which numbers it promises. Frozen: this file is never edited
// (frozen.sha256). Another minor gets a file of its own.
#include <cstddef>
#include <type_traits>

#include <foxwedge/abi.h>
#include <foxwedge/capability.h>
#include <foxwedge/context_strategy.h>
#include <foxwedge/guardrail.h>
#include <foxwedge/provider.h>
#include <foxwedge/services.h>

#define AT(type, member, offset, ...)                                                              \
    static_assert(offsetof(type, member) == (offset), #type "." #member " moved");                 \
    static_assert(std::is_same_v<decltype(type::member), __VA_ARGS__>,                             \
                  #type "." #member " changed type")
#define FROZEN_SIZE(type, size) static_assert(sizeof(type) == (size), #type " is frozen")
#define LEAST_SIZE(type, size) static_assert(sizeof(type) >= (size), #type " shrank")
#define NUMBER(name, value) static_assert((name) == (value), #name " changed")

using str = foxwedge_str;
using status = foxwedge_status;
using call = const foxwedge_call*;
using self = foxwedge_instance*;

static_assert(std::is_same_v<status, int32_t>);
NUMBER(FOXWEDGE_ABI_MAJOR, 1u);
NUMBER(FOXWEDGE_OK, 0);
NUMBER(FOXWEDGE_PARKED, 1);
NUMBER(FOXWEDGE_E_INVALID, -1);
NUMBER(FOXWEDGE_E_UNSUPPORTED, -2);
NUMBER(FOXWEDGE_E_TRANSIENT, -3);
NUMBER(FOXWEDGE_E_FAILED, -4);
NUMBER(FOXWEDGE_E_CANCELLED, -5);
NUMBER(FOXWEDGE_E_INTERNAL, -6);
NUMBER(FOXWEDGE_E_UNKNOWN, -7);
NUMBER(FOXWEDGE_EVENT_TEXT, 1u);
NUMBER(FOXWEDGE_EVENT_REASONING, 2u);
NUMBER(FOXWEDGE_EVENT_TOOL_CALL, 3u);
NUMBER(FOXWEDGE_EVENT_USAGE, 4u);
NUMBER(FOXWEDGE_EVENT_PROGRESS, 5u);
NUMBER(FOXWEDGE_EVENT_LOG, 6u);
NUMBER(FOXWEDGE_CONCURRENT, 1u);
NUMBER(FOXWEDGE_NOTE_TYPE, 1u);
NUMBER(FOXWEDGE_PLACEMENT_INPUT, 1u);
NUMBER(FOXWEDGE_PLACEMENT_TOOL_ARGS, 2u);
NUMBER(FOXWEDGE_PLACEMENT_TOOL_RESULT, 4u);
NUMBER(FOXWEDGE_PLACEMENT_OUTPUT, 8u);
NUMBER(FOXWEDGE_PLACEMENT_TOOL_DEFINITION, 16u);
NUMBER(FOXWEDGE_LOG_ERROR, 1u);
NUMBER(FOXWEDGE_LOG_WARN, 2u);
NUMBER(FOXWEDGE_LOG_INFO, 3u);
NUMBER(FOXWEDGE_LOG_DEBUG, 4u);

FROZEN_SIZE(foxwedge_str, 16);
AT(foxwedge_str, data, 0, const char*);
AT(foxwedge_str, size, 8, size_t);

LEAST_SIZE(foxwedge_host, 24);
AT(foxwedge_host, struct_size, 0, uint32_t);
AT(foxwedge_host, abi_minor, 4, uint32_t);
AT(foxwedge_host, host_data, 8, void*);
AT(foxwedge_host, service, 16, const void* (*)(const foxwedge_host*, str));

LEAST_SIZE(foxwedge_call, 88);
AT(foxwedge_call, struct_size, 0, uint32_t);
AT(foxwedge_call, reserved0, 4, uint32_t);
AT(foxwedge_call, host_data, 8, void*);
AT(foxwedge_call, step_key, 16, str);
AT(foxwedge_call, context, 32, str);
AT(foxwedge_call, cancelled, 48, int32_t (*)(call));
AT(foxwedge_call, time_left_ms, 56, int64_t (*)(call));
AT(foxwedge_call, emit, 64, status (*)(call, uint32_t, str));
AT(foxwedge_call, set_result, 72, void (*)(call, str));
AT(foxwedge_call, set_error, 80, void (*)(call, str, str, str));

FROZEN_SIZE(foxwedge_instance, 32);
AT(foxwedge_instance, struct_size, 0, uint32_t);
AT(foxwedge_instance, flags, 4, uint32_t);
AT(foxwedge_instance, plugin_data, 8, void*);
AT(foxwedge_instance, destroy, 16, void (*)(self));
AT(foxwedge_instance, interrupt, 24, void (*)(self, call));

LEAST_SIZE(foxwedge_factory, 48);
AT(foxwedge_factory, struct_size, 0, uint32_t);
AT(foxwedge_factory, reserved0, 4, uint32_t);
AT(foxwedge_factory, kind, 8, str);
AT(foxwedge_factory, id, 24, str);
AT(foxwedge_factory, create, 40,
   status (*)(const foxwedge_factory*, const foxwedge_host*, str, call, foxwedge_instance**));

LEAST_SIZE(foxwedge_entry, 40);
AT(foxwedge_entry, struct_size, 0, uint32_t);
AT(foxwedge_entry, abi_minor, 4, uint32_t);
AT(foxwedge_entry, min_host_minor, 8, uint32_t);
AT(foxwedge_entry, reserved0, 12, uint32_t);
AT(foxwedge_entry, open, 16, status (*)(const foxwedge_host*, call));
AT(foxwedge_entry, close, 24, void (*)());
AT(foxwedge_entry, factory_at, 32, const foxwedge_factory* (*)(uint32_t));

LEAST_SIZE(foxwedge_capability, 48);
AT(foxwedge_capability, base, 0, foxwedge_instance);
AT(foxwedge_capability, list_tools, 32, status (*)(self, call));
AT(foxwedge_capability, run_tool, 40, status (*)(self, str, str, call));

LEAST_SIZE(foxwedge_provider, 56);
AT(foxwedge_provider, base, 0, foxwedge_instance);
AT(foxwedge_provider, describe, 32, status (*)(self, call));
AT(foxwedge_provider, generate, 40, status (*)(self, str, call));
AT(foxwedge_provider, count_tokens, 48, status (*)(self, str, call));

LEAST_SIZE(foxwedge_guardrail, 48);
AT(foxwedge_guardrail, base, 0, foxwedge_instance);
AT(foxwedge_guardrail, placements, 32, uint32_t);
AT(foxwedge_guardrail, reserved0, 36, uint32_t);
AT(foxwedge_guardrail, check, 40, status (*)(self, uint32_t, str, call));

LEAST_SIZE(foxwedge_context_strategy, 40);
AT(foxwedge_context_strategy, base, 0, foxwedge_instance);
AT(foxwedge_context_strategy, plan, 32, status (*)(self, str, call));

FROZEN_SIZE(foxwedge_reply, 16);
AT(foxwedge_reply, data, 0, void*);
AT(foxwedge_reply, give, 8, void (*)(void*, str));

#define SERVICE(type, size)                                                                        \
    LEAST_SIZE(type, size);                                                                        \
    AT(type, struct_size, 0, uint32_t);                                                            \
    AT(type, reserved0, 4, uint32_t);                                                              \
    AT(type, host_data, 8, void*)
#define ASKS(type, member, offset)                                                                 \
    AT(type, member, offset, status (*)(call, const type*, str, foxwedge_reply))
#define WAITS(type, member, offset)                                                                \
    AT(type, member, offset, status (*)(call, const type*, foxwedge_reply))

SERVICE(foxwedge_log, 24);
AT(foxwedge_log, write, 16, void (*)(call, const foxwedge_log*, uint32_t, str));

LEAST_SIZE(foxwedge_http_receiver, 40);
AT(foxwedge_http_receiver, struct_size, 0, uint32_t);
AT(foxwedge_http_receiver, reserved0, 4, uint32_t);
AT(foxwedge_http_receiver, data, 8, void*);
AT(foxwedge_http_receiver, head, 16, status (*)(void*, str));
AT(foxwedge_http_receiver, chunk, 24, status (*)(void*, str));
AT(foxwedge_http_receiver, failed, 32, void (*)(void*, str));

SERVICE(foxwedge_http, 24);
AT(foxwedge_http, send, 16,
   status (*)(call, const foxwedge_http*, str, const foxwedge_http_receiver*));

SERVICE(foxwedge_store, 32);
ASKS(foxwedge_store, apply, 16);
WAITS(foxwedge_store, folder, 24);

SERVICE(foxwedge_agents, 40);
ASKS(foxwedge_agents, start, 16);
WAITS(foxwedge_agents, next, 24);
ASKS(foxwedge_agents, cancel, 32);

SERVICE(foxwedge_wait, 24);
ASKS(foxwedge_wait, wait_for, 16);

SERVICE(foxwedge_script, 48);
ASKS(foxwedge_script, start, 16);
WAITS(foxwedge_script, next, 24);
ASKS(foxwedge_script, answer, 32);
WAITS(foxwedge_script, kill, 40);

SERVICE(foxwedge_check, 56);
ASKS(foxwedge_check, compile, 16);
ASKS(foxwedge_check, release, 24);
ASKS(foxwedge_check, validate, 32);
ASKS(foxwedge_check, evaluate, 40);
ASKS(foxwedge_check, find_secrets, 48);

int main() {}
