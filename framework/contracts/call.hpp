// What travels down with every call to a provider, tool, guardrail or strategy.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/stop.hpp"

namespace foxwedge {

class Store;
class Children;
class Waits;

/// The context of a call: which project's data, whose, for which run.
struct Scope {
    std::string project, conversation, run, agent, user;
    bool operator==(const Scope&) const = default;
};

/// Numbers of events as in the ABI; payloads in docs/plugins ("Events").
enum class EventKind : std::uint32_t {
    text = 1,
    reasoning = 2,
    tool_call = 3,
    usage = 4,
    progress = 5,
    log = 6
};

/// Where a call's events go. May block to slow the sender down. Any thread.
class EventReceiver {
public:
    virtual ~EventReceiver() = default;
    /// False once nobody wants more: the caller should give up with `cancelled`.
    virtual bool receive(EventKind, std::string_view payload_json) = 0;
};

/// One call. Everything it points to outlives it.
struct Call {
    Until until;
    std::string step_key; ///< the idempotency key for the outside; empty outside a step
    Scope scope;
    EventReceiver* events = nullptr;
    Store* store = nullptr; ///< null: none here
    Children* children = nullptr;
    Waits* waits = nullptr;
    /// What these work with belongs to the caller's thread. Another one that uses them while the
    /// caller does not calls this first, and the caller before it goes on. Empty: no need.
    std::function<void()> borrow;
};

/// The code of the Error by which a call says that it registered a wait and is to come again.
inline constexpr std::string_view parked_code = "parked";

} // namespace foxwedge
