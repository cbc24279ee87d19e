// How a test lets go what waits for it: by a file, which FOXWEDGE_MUSEUM_RELEASE names from before
// the first thread on. (To look at the environment while a test changes it may crash.)
#pragma once
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include <unistd.h>

namespace museum {

/// For ever where the variable names no file.
inline void wait_until_released() {
    const char* file = std::getenv("FOXWEDGE_MUSEUM_RELEASE");
    while (!file || ::access(file, F_OK) != 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Tells the test something after its release.
inline void tell(const char* word) {
    if (const char* file = std::getenv("FOXWEDGE_MUSEUM_RELEASE"))
        std::ofstream(std::string(file) + ".told") << word << '\n';
}

} // namespace museum
