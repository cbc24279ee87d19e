// Waiting for a condition that another thread or process brings about.
#pragma once
#include <chrono>
#include <thread>

namespace foxwedge::test {

/// True as soon as `holds()` is; false if it is not within `limit`, which only a failure reaches.
template <class Condition>
bool eventually(Condition holds, std::chrono::seconds limit = std::chrono::seconds(20)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::yield();
    }
    return true;
}

} // namespace foxwedge::test
