// Addresses for calls. Plugins hold a call's address beyond its life (a thread that was left behind
// asks a service once more), so an address is never used twice and can always be asked whether its
// call still lives. The memory of ended calls goes back to the system: what lies at their addresses
// then is one image, shared by all of them, of calls that are over.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include <foxwedge/abi.h>

namespace foxwedge::plugin {

class RunningCall;

/// What lies at a call's address.
struct CallSlot {
    foxwedge_call api; ///< first: the plugin's pointer is the slot's
    /// Highest bit: the call lives. The rest: how many threads are inside a host function for it.
    std::atomic<std::uint32_t> word;
    RunningCall* running;
};

/// Holds a call while a host function works for it; empty if the call is over.
class CallPin {
public:
    explicit CallPin(const foxwedge_call*);
    ~CallPin();
    CallPin(const CallPin&) = delete;
    CallPin& operator=(const CallPin&) = delete;
    explicit operator bool() const { return slot_ != nullptr; }
    RunningCall& operator*() const { return *slot_->running; }
    RunningCall* operator->() const { return slot_->running; }

private:
    CallSlot* slot_ = nullptr;
};

/// Gives out slots. Any thread. Never destroyed while a plugin may use an address from it.
class CallSlots {
public:
    CallSlots() = default;
    ~CallSlots();
    CallSlots(const CallSlots&) = delete;
    CallSlots& operator=(const CallSlots&) = delete;

    /// A slot that nobody had before, not yet alive; null if the system has no memory.
    CallSlot* take();
    static void start(CallSlot&, RunningCall&);
    /// Ends the call, which then answers no more; false, and nothing done, while a host function
    /// works for it.
    static bool try_end(CallSlot&);
    /// Ends the call: waits for host functions that work for it, then answers no more.
    static void end(CallSlot&);

private:
    struct Chunk;
    struct Region;
    static Chunk& chunk_of(CallSlot&);
    static void count_end(CallSlot&);
    Chunk* grow(const Chunk* full);
    char* next_memory();

    std::mutex mutex_; ///< of growing
    std::atomic<Chunk*> current_{nullptr};
    Region* region_ = nullptr; ///< of the newest chunk
};

} // namespace foxwedge::plugin
