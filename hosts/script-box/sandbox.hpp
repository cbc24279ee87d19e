// What the process may still do once it runs a stranger's code: read its input, write its output,
// ask for a limited amount of memory.
#pragma once
#include <cstdint>

namespace script_box {

/// Before the engine exists: its switches in place of the environment, a stack of known size.
void enter_bare();

/// Takes everything away. Null, or what could not be had; then no script may run.
const char* lock_up(std::uint64_t memory_bytes, std::uint64_t cpu_seconds);

/// True once memory was refused to the engine. The script cannot make it so by other means, nor
/// undo it.
bool memory_was_refused();

} // namespace script_box
