#include "plugin/call_slots.hpp"

#include <new>
#include <sys/mman.h>

namespace foxwedge::plugin {
namespace {

constexpr std::uint32_t alive = 0x8000'0000u;
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t chunk_bytes = 1 << 16;
constexpr std::size_t slots_in_chunk = chunk_bytes / sizeof(CallSlot);

} // namespace

/// Aligned to its size, so that a slot finds its chunk's book-keeping, which lies elsewhere.
struct CallSlots::Chunk {
    CallSlot* slots = nullptr;
    std::size_t given = 0;
    std::atomic<std::size_t> ended{0};
    Chunk* next = nullptr;
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

} // namespace

CallSlots::~CallSlots() {
    for (auto* chunk = all_; chunk;) {
        auto* next = chunk->next;
        ::munmap(chunk->slots, chunk_bytes);
        delete chunk;
        chunk = next;
    }
}

CallSlots::Chunk& CallSlots::chunk_of(CallSlot& slot) {
    const auto start = reinterpret_cast<std::uintptr_t>(&slot) / chunk_bytes * chunk_bytes;
    return **reinterpret_cast<Chunk**>(start + back_offset);
}

CallSlot* CallSlots::take() {
    std::lock_guard lock(mutex_);
    if (!current_ || current_->given == usable_slots) {
        char* memory = map_chunk();
        if (!memory) return nullptr;
        auto* chunk = new Chunk;
        chunk->slots = reinterpret_cast<CallSlot*>(memory);
        chunk->next = all_;
        *reinterpret_cast<Chunk**>(memory + back_offset) = chunk;
        all_ = current_ = chunk;
    }
    return new (&current_->slots[current_->given++]) CallSlot{};
}

void CallSlots::start(CallSlot& slot, RunningCall& running) {
    slot.running = &running;
    slot.word.store(alive, std::memory_order_release);
}

void CallSlots::end(CallSlot& slot) {
    auto word = slot.word.fetch_and(~alive, std::memory_order_acq_rel) & ~alive;
    for (; word != 0; word = slot.word.load(std::memory_order_acquire)) slot.word.wait(word);
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
