// A capability whose tools break the rules of a call, each in the way that its name says.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include <unistd.h>

#define MUSEUM_OWN_VERBS
#define MUSEUM_INSTANCE made->base.flags = MUSEUM_FLAGS, made->base.interrupt = interrupt
#include <foxwedge/capability.h>
#include <foxwedge/services.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "release.hpp"

namespace {

const foxwedge_store* store = nullptr;
const foxwedge_wait* waits = nullptr;
const foxwedge_http* http = nullptr;

std::mutex mutex;
std::condition_variable woken;
int interrupts = 0;

constexpr foxwedge_str lit(std::string_view s) {
    return {s.data(), s.size()};
}

template <class Service>
void take(const foxwedge_host* host, std::string_view id, Service& service) {
    service = static_cast<Service>(host->service(host, lit(id)));
}
void take_services(const foxwedge_host* host) {
    take(host, FOXWEDGE_SERVICE_STORE, store);
    take(host, FOXWEDGE_SERVICE_WAIT, waits);
    take(host, FOXWEDGE_SERVICE_HTTP, http);
}

foxwedge_status list_tools(foxwedge_instance*, const foxwedge_call* call);
foxwedge_status run_tool(foxwedge_instance*, foxwedge_str, foxwedge_str, const foxwedge_call*);
void interrupt(foxwedge_instance*, const foxwedge_call*) {
    std::lock_guard lock(mutex);
    ++interrupts;
    woken.notify_all();
}

} // namespace

#define MUSEUM_CREATE take_services(host)
#include "museum.h"

namespace {

foxwedge_status give_text(const foxwedge_call* call, std::string_view json) {
    call->set_result(call, lit(json));
    return FOXWEDGE_OK;
}
constexpr std::string_view fine = R"({"content":[{"type":"text","text":"fine"}]})";

foxwedge_status wait_for_interrupt(const foxwedge_call* call) {
    std::unique_lock lock(mutex);
    woken.wait(lock, [&] { return call->cancelled(call) != 0; });
    return FOXWEDGE_E_CANCELLED;
}

foxwedge_status wait_for_release(const foxwedge_call* call, foxwedge_str) {
    museum::wait_until_released(); // deaf to everything else
    return give_text(call, fine);
}

foxwedge_status ask_later(const foxwedge_call* call) {
    // The thread outlives the verb and asks the store for a call that is over.
    std::thread([call] {
        museum::wait_until_released();
        const auto status = store->apply(call, store, lit(R"({"ops":[]})"), {nullptr, nullptr});
        museum::tell(status == FOXWEDGE_E_CANCELLED ? "cancelled" : "done");
    }).detach();
    return give_text(call, fine);
}

const foxwedge_call* kept = nullptr; // beyond its life

/// All that a call and the services can be asked for a call that is over.
foxwedge_status ask_dead_call(const foxwedge_call* call) {
    kept->set_result(kept, lit("{}"));
    kept->set_error(kept, lit("late"), lit("too late"), {nullptr, 0});
    const bool over =
        kept->struct_size >= sizeof(foxwedge_call) && kept->cancelled(kept) != 0 &&
        kept->time_left_ms(kept) == 0 &&
        kept->emit(kept, FOXWEDGE_EVENT_PROGRESS, lit("{}")) == FOXWEDGE_E_CANCELLED &&
        store->apply(kept, store, lit(R"({"ops":[]})"), {nullptr, nullptr}) == FOXWEDGE_E_CANCELLED;
    return over ? give_text(call, fine) : FOXWEDGE_E_FAILED;
}

foxwedge_status write_to_store(const foxwedge_call* call, foxwedge_str arguments) {
    return store->apply(call, store, arguments,
                        {const_cast<foxwedge_call*>(call), [](void* data, foxwedge_str answer) {
                             const auto* running = static_cast<const foxwedge_call*>(data);
                             const auto text =
                                 std::string(R"({"content":[],"structuredContent":)") +
                                 std::string(answer.data, answer.size) + "}";
                             running->set_result(running, lit(text));
                         }});
}

/// Sends the arguments as a request; the result is the head.
foxwedge_status send(const foxwedge_call* call, foxwedge_str request) {
    foxwedge_http_receiver receiver{sizeof receiver,
                                    0,
                                    const_cast<foxwedge_call*>(call),
                                    [](void* data, foxwedge_str head) {
                                        const auto* running =
                                            static_cast<const foxwedge_call*>(data);
                                        const auto text = R"({"content":[],"structuredContent":)" +
                                                          std::string(head.data, head.size) + "}";
                                        running->set_result(running, lit(text));
                                        return FOXWEDGE_OK;
                                    },
                                    [](void*, foxwedge_str) { return FOXWEDGE_OK; },
                                    nullptr};
    return http->send(call, http, request, &receiver);
}

/// Fails with the arguments as the message, as an adapter does with an error body.
foxwedge_status fail_with(const foxwedge_call* call, foxwedge_str arguments) {
    call->set_error(call, lit("rejected"), arguments, {nullptr, 0});
    return FOXWEDGE_E_FAILED;
}

foxwedge_status park(const foxwedge_call* call, foxwedge_str request) {
    const auto status = waits->wait_for(call, waits, request, {nullptr, nullptr});
    return status == FOXWEDGE_OK ? FOXWEDGE_PARKED : status;
}

/// Asks the host where nothing may be thrown: what its run unwinds with must not pass through here.
foxwedge_status ask_from_noexcept(const foxwedge_call* call) noexcept {
    return waits->wait_for(call, waits, lit(R"({"until":1})"), {nullptr, nullptr});
}

foxwedge_status say(const foxwedge_call* call, foxwedge_status status) {
    call->set_error(call, lit("word"), lit("a sentence"), lit(R"({"retryAfterMs":1500})"));
    return status;
}

/// The ones that a test calls by way of a host, which offers no others.
constexpr const char* listed[] = {"fine", "echo",  "hangs",  "pid",
                                  "http", "store", "aborts", "writes-to-stdout"};

foxwedge_status list_tools(foxwedge_instance*, const foxwedge_call* call) {
    std::string tools;
    for (const auto* name : listed)
        tools += std::string(tools.empty() ? "" : ",") + R"({"name":")" + name +
                 R"(","description":"","inputSchema":{"type":"object"},"effect":"idempotent")" +
                 (name == std::string_view("hangs") ? R"(,"timeoutMs":50})" : "}");
    return give_text(call, R"({"tools":[)" + tools + "]}");
}

/// As much stack as a verb is promised.
foxwedge_status use_stack(const foxwedge_call* call) {
    volatile char room[1 << 20];
    for (std::size_t at = 0; at < sizeof room; at += 4096) room[at] = 1;
    return room[0] ? give_text(call, fine) : FOXWEDGE_E_INTERNAL;
}

/// Takes much more memory than a box is given in tests.
foxwedge_status allocate(const foxwedge_call* call) {
    const std::string much(std::size_t{8} << 30, 'x');
    return give_text(call, much.empty() ? "" : fine);
}

/// Which process it runs in.
foxwedge_status tell_pid(const foxwedge_call* call) {
    return give_text(call, R"({"content":[{"type":"text","text":")" + std::to_string(::getpid()) +
                               R"("}]})");
}

foxwedge_status run_tool(foxwedge_instance*, foxwedge_str name, foxwedge_str arguments,
                         const foxwedge_call* call) {
    const std::string_view tool(name.data, name.size);
    if (tool == "fine") return give_text(call, fine);
    if (tool == "echo") return call->set_result(call, arguments), FOXWEDGE_OK;
    if (tool == "pid") return tell_pid(call);
    if (tool == "no-result") return FOXWEDGE_OK;
    if (tool == "two-results") return give_text(call, fine), give_text(call, fine);
    if (tool == "bad-json") return give_text(call, "{\"content\":");
    if (tool == "null-result") return call->set_result(call, {nullptr, 0}), FOXWEDGE_OK;
    if (tool == "wrong-shape") return give_text(call, R"({"content":7})");
    if (tool == "unknown-status") return 42;
    if (tool == "throws") throw std::runtime_error("no disk");
    if (tool == "throws-int") throw 7;
    if (tool == "parked-for-nothing") return FOXWEDGE_PARKED;
    if (tool == "noexcept-under-a-step") return ask_from_noexcept(call);
    if (tool == "parks") return park(call, arguments);
    if (tool == "writes-to-stdout") return std::puts("stray words"), give_text(call, fine);
    if (tool == "emits-after-cancel") {
        wait_for_interrupt(call);
        const auto status = call->emit(call, FOXWEDGE_EVENT_PROGRESS, lit(R"({"progress":1})"));
        return status == FOXWEDGE_E_CANCELLED ? give_text(call, fine)
                                              : say(call, FOXWEDGE_E_FAILED);
    }
    if (tool == "emits") {
        call->emit(call, FOXWEDGE_EVENT_PROGRESS, lit(R"({"progress":1})"));
        call->emit(call, 77, lit("{}"));
        return give_text(call, fine);
    }
    if (tool == "waits-for-interrupt") return wait_for_interrupt(call);
    if (tool == "hangs") return wait_for_release(call, arguments);
    if (tool == "leaves-a-thread") return ask_later(call);
    if (tool == "keeps-its-call") return kept = call, give_text(call, fine);
    if (tool == "asks-a-dead-call") return ask_dead_call(call);
    if (tool == "store") return write_to_store(call, arguments);
    if (tool == "http") return send(call, arguments);
    if (tool == "fails-with") return fail_with(call, arguments);
    if (tool == "invalid") return say(call, FOXWEDGE_E_INVALID);
    if (tool == "transient") return say(call, FOXWEDGE_E_TRANSIENT);
    if (tool == "failed") return say(call, FOXWEDGE_E_FAILED);
    if (tool == "unknown") return say(call, FOXWEDGE_E_UNKNOWN);
    if (tool == "internal") return say(call, FOXWEDGE_E_INTERNAL);
    if (tool == "aborts") std::abort();
    if (tool == "allocates") return allocate(call);
    if (tool == "deep") return use_stack(call);
    return FOXWEDGE_E_UNSUPPORTED;
}

} // namespace
