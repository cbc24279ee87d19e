#include "plugin/call_slots.hpp"

#include <new>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace foxwedge::plugin {
namespace {

constexpr std::uint32_t alive = 0x8000'0000u;
/// Large, because memory is given back by the chunk: from some 33 pages on the kernel forgets all
/// translations at once, which in a virtual machine costs a tenth of forgetting each.
constexpr std::size_t chunk_bytes = 1 << 19;
/// The last word of a chunk's memory points to its book-keeping while one of its calls lives.
constexpr std::size_t back_offset = chunk_bytes - sizeof(void*);
constexpr std::size_t usable_slots = back_offset / sizeof(CallSlot);
/// Chunks are cut from regions, in order. A process may have 65,530 mappings; the dead chunks of a
/// region are one, because they show one file in its own order.
constexpr std::size_t region_bytes = 1 << 24;
constexpr std::size_t chunks_in_region = region_bytes / chunk_bytes;

// What a call answers that is over.
std::int32_t dead_cancelled(const foxwedge_call*) noexcept {
    return 1;
}
std::int64_t dead_time_left(const foxwedge_call*) noexcept {
    return 0;
}
foxwedge_status dead_emit(const foxwedge_call*, std::uint32_t, foxwedge_str) noexcept {
    return FOXWEDGE_E_CANCELLED;
}
void dead_set_result(const foxwedge_call*, foxwedge_str) noexcept {}
void dead_set_error(const foxwedge_call*, foxwedge_str, foxwedge_str, foxwedge_str) noexcept {}

/// A file that holds a region of calls that are over, written chunk by chunk as it is needed.
/// Constant once written, so all plugins of the process share it.
class DeadCalls {
public:
    /// Puts the image of the region's chunk `n` in the place of the memory at `chunk`, at once as
    /// seen by other threads. False if the system cannot: the memory is as it was.
    bool take_over(char* chunk, std::size_t n) {
        if (!holds(n)) return false;
        return ::mmap(chunk, chunk_bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, file_,
                      static_cast<off_t>(n * chunk_bytes)) != MAP_FAILED;
    }

private:
    bool holds(std::size_t n) {
        std::lock_guard lock(mutex_);
        if (file_ < 0) file_ = ::memfd_create("foxwedge-ended-calls", MFD_CLOEXEC);
        while (file_ >= 0 && written_ <= n) {
            const auto image = one_chunk();
            const auto at = static_cast<off_t>(written_ * chunk_bytes);
            if (::pwrite(file_, image.data(), image.size(), at) != ssize_t(image.size()))
                return false;
            ++written_;
        }
        return file_ >= 0;
    }
    static std::string one_chunk() {
        static const char context[] = "{}";
        CallSlot slot{};
        slot.api = {sizeof(foxwedge_call),
                    0,
                    nullptr,
                    {"", 0},
                    {context, 2},
                    dead_cancelled,
                    dead_time_left,
                    dead_emit,
                    dead_set_result,
                    dead_set_error};
        std::string image;
        image.reserve(chunk_bytes);
        for (std::size_t n = 0; n < usable_slots; ++n)
            image.append(reinterpret_cast<const char*>(&slot), sizeof slot);
        image.resize(chunk_bytes, '\0');
        return image;
    }

    std::mutex mutex_;
    int file_ = -1;
    std::size_t written_ = 0; // chunks
};
DeadCalls& dead_calls() {
    static auto& it = *new DeadCalls; // never destroyed: calls end until the process does
    return it;
}

char* map_region() {
    // Twice the size, to cut an aligned piece out.
    void* raw = ::mmap(nullptr, 2 * region_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    const auto at = reinterpret_cast<std::uintptr_t>(raw);
    const auto start = (at + region_bytes - 1) / region_bytes * region_bytes;
    if (start > at) ::munmap(raw, start - at);
    if (const auto end = start + region_bytes, all = at + 2 * region_bytes; all > end)
        ::munmap(reinterpret_cast<void*>(end), all - end);
    // Most plugins need a page or two of it, not two mebibytes.
    ::madvise(reinterpret_cast<void*>(start), region_bytes, MADV_NOHUGEPAGE);
    return reinterpret_cast<char*>(start);
}

/// Brings the pages in at once, which costs a fraction of a fault each. No kernel has to.
void expect_use([[maybe_unused]] char* chunk) {
#if defined(MADV_POPULATE_WRITE)
    ::madvise(chunk, chunk_bytes, MADV_POPULATE_WRITE);
#endif
}

} // namespace

/// The book-keeping of a chunk, which lies elsewhere than its slots.
struct CallSlots::Chunk {
    CallSlot* slots = nullptr;
    std::size_t place = 0; ///< in its region
    std::atomic<std::size_t> given{0};
    std::atomic<std::size_t> ended{0};
    Chunk* before = nullptr;
};

struct CallSlots::Region {
    char* memory = nullptr;
    std::size_t used = 0; ///< chunks
    Region* before = nullptr;
};

CallSlots::~CallSlots() {
    for (auto* chunk = current_.load(); chunk;) delete std::exchange(chunk, chunk->before);
    while (region_) {
        ::munmap(region_->memory, region_bytes);
        delete std::exchange(region_, region_->before);
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

/// The memory of a chunk that nobody had before; null if there is none.
char* CallSlots::next_memory() {
    if (!region_ || region_->used == chunks_in_region) {
        char* memory = map_region();
        if (!memory) return nullptr;
        region_ = new Region{memory, 0, region_};
    }
    return region_->memory + region_->used++ * chunk_bytes;
}

/// The chunk that follows `full`, of which no slot is left; null if the system has no memory.
CallSlots::Chunk* CallSlots::grow(const Chunk* full) {
    std::lock_guard lock(mutex_);
    if (auto* grown = current_.load(std::memory_order_relaxed); grown != full) return grown;
    char* memory = next_memory();
    if (!memory) return nullptr;
    // Who has used up one chunk will use another. Most plugins never do.
    if (full) expect_use(memory);
    auto* chunk = new Chunk;
    chunk->slots = reinterpret_cast<CallSlot*>(memory);
    chunk->place = region_->used - 1;
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
    // The last one out of a full chunk gives its memory back. A plugin that still holds the address
    // of one of these calls finds calls that are over; where the system cannot do that, it finds
    // what it left.
    if (chunk.ended.fetch_add(1, std::memory_order_acq_rel) + 1 == usable_slots)
        dead_calls().take_over(reinterpret_cast<char*>(chunk.slots), chunk.place);
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
