// The processor time of one slice, bounded from outside the engine: no loop of any kind gets round
// it.
#pragma once
#include <cstdint>

#include "line.hpp"

namespace script_box {

/// From now on an exhausted slice ends the script as TIMEOUT and the process with it.
void watch_slices(const Output& out);

/// A new slice begins.
void begin_slice(std::uint64_t cpu_ms);

} // namespace script_box
