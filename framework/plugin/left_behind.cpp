#include "plugin/left_behind.hpp"

#include <atomic>

namespace foxwedge::plugin {
namespace {

struct Left {
    const void* what;
    Left* before;
};
std::atomic<Left*> all_left{nullptr};

} // namespace

void leave_behind(const void* what) {
    auto* left = new Left{what, all_left.load(std::memory_order_relaxed)};
    while (!all_left.compare_exchange_weak(left->before, left, std::memory_order_release,
                                           std::memory_order_relaxed)) {
    }
}

} // namespace foxwedge::plugin
