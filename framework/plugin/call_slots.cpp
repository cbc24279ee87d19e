#include "plugin/call_slots.hpp"

#include <new>
#include <sys/mman.h>

namespace foxwedge::plugin {
namespace {

constexpr std::uint32_t alive = 0x8000'0000u;
constexpr std::size_t page_bytes = 4096;
/// Large, because memory is given back by the chunk: from some 33 pages on the kernel forgets all
/// translations at once, which in a virtual machine costs a tenth of forgetting each.
constexpr std::size_t chunk_bytes = 1 << 19;
constexpr std::size_t slots_in_chunk = chunk_bytes / sizeof(CallSlot);

} // namespace

/// Aligned to its size, so that a slot finds its chunk's book-keeping, which lies elsewhere.
struct CallSlots::Chunk {
    CallSlot* slots = nullptr;
    std::atomic<std::size_t> given{0};
    std::atomic<std::size_t> ended{0};
    Chunk* before = nullptr;
};

namespace {

/// The last word of a chunk's memory points to its book-keeping; released memory reads as null.
constexpr std::size_t back_offset = chunk_bytes - sizeof(void*);
static_assert(slots_in_chunk * sizeof(CallSlot) <= chunk_bytes);
constexpr std::size_t usable_slots = back_offset / sizeof(CallSlot);

char* map_chunk() {
    // Twice the size, to cut an aligned piece out.
    void* raw = ::mmap(nullptr, 2 * chunk_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    const auto at = reinterpret_cast<std::uintptr_t>(raw);
    const auto start = (at + chunk_bytes - 1) / chunk_bytes * chunk_bytes;
    if (start > at) ::munmap(raw, start - at);
    if (const auto end = start + chunk_bytes, all = at + 2 * chunk_bytes; all > end)
        ::munmap(reinterpret_cast<void*>(end), all - end);
    return reinterpret_cast<char*>(start);
}

/// Brings the pages in at once, which costs a fraction of a fault each. No kernel has to.
void expect_use([[maybe_unused]] char* chunk) {
#if defined(MADV_POPULATE_WRITE)
    ::madvise(chunk, chunk_bytes, MADV_POPULATE_WRITE);
#endif
}

} // namespace

CallSlots::~CallSlots() {
    for (auto* chunk = current_.load(); chunk;) {
        auto* before = chunk->before;
        ::munmap(chunk->slots, chunk_bytes);
        delete chunk;
        chunk = before;
    }
}

CallSlots::Chunk& CallSlots::chunk_of(CallSlot& slot) {
    const auto start = reinterpret_cast<std::uintptr_t>(&slot) / chunk_bytes * chunk_bytes;
    return **reinterpret_cast<Chunk**>(start + back_offset);
}

CallSlot* CallSlots::take() {
    auto* chunk = current_.load(std::memory_order_acquire);
    for (;;) {
        if (chunk)
            if (const auto n = chunk->given.fetch_add(1, std::memory_order_relaxed);
                n < usable_slots)
                return new (&chunk->slots[n]) CallSlot;
        chunk = grow(chunk);
        if (!chunk) return nullptr;
    }
}

/// The chunk that follows `full`, of which no slot is left; null if the system has no memory.
CallSlots::Chunk* CallSlots::grow(const Chunk* full) {
    std::lock_guard lock(mutex_);
    if (auto* grown = current_.load(std::memory_order_relaxed); grown != full) return grown;
    char* memory = map_chunk();
    if (!memory) return nullptr;
    // Who has used up one chunk will use another. Most plugins never do.
    if (full) expect_use(memory);
    auto* chunk = new Chunk;
    chunk->slots = reinterpret_cast<CallSlot*>(memory);
    chunk->before = current_.load(std::memory_order_relaxed);
    *reinterpret_cast<Chunk**>(memory + back_offset) = chunk;
    current_.store(chunk, std::memory_order_release);
    return chunk;
}

void CallSlots::start(CallSlot& slot, RunningCall& running) {
    slot.running = &running;
    slot.word.store(alive, std::memory_order_release);
}

bool CallSlots::try_end(CallSlot& slot) {
    auto word = alive;
    if (!slot.word.compare_exchange_strong(word, 0, std::memory_order_acq_rel)) return false;
    count_end(slot);
    return true;
}

void CallSlots::end(CallSlot& slot) {
    auto word = slot.word.fetch_and(~alive, std::memory_order_acq_rel) & ~alive;
    for (; word != 0; word = slot.word.load(std::memory_order_acquire)) slot.word.wait(word);
    count_end(slot);
}

void CallSlots::count_end(CallSlot& slot) {
    auto& chunk = chunk_of(slot);
    // The last one out of a full chunk gives its memory back; the addresses stay taken and read as
    // zero: not alive.
    if (chunk.ended.fetch_add(1, std::memory_order_acq_rel) + 1 == usable_slots)
        ::madvise(chunk.slots, chunk_bytes / page_bytes * page_bytes, MADV_DONTNEED);
}

CallPin::CallPin(const foxwedge_call* call) {
    if (!call) return;
    auto& slot = *reinterpret_cast<CallSlot*>(const_cast<foxwedge_call*>(call));
    auto word = slot.word.load(std::memory_order_acquire);
    while (word & alive)
        if (slot.word.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel)) {
            slot_ = &slot;
            return;
        }
}

CallPin::~CallPin() {
    if (!slot_) return;
    const auto before = slot_->word.fetch_sub(1, std::memory_order_acq_rel);
    if (!(before & alive)) slot_->word.notify_all();
}

} // namespace foxwedge::plugin
