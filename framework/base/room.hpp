// Room for a program: what it does first with its memory.
#pragma once
#include <functional>

namespace foxwedge {

/// Calls `main` and gives what it gives. Where the shell that started the program left less than it
/// needs (`ulimit -s`), on a thread with a stack of its own, with the caller's signal mask, while
/// the caller waits and takes no signal; threads that are started later have such a stack too.
int with_roomy_stack(const std::function<int()>& main);

/// Gives large pieces of memory back as they are freed. Left to itself, the C library raises the
/// size from which on it does so to that of the largest piece seen, and each thread then keeps
/// twice that: an answer of 32 MiB to each of 16 threads would cost a gigabyte for good.
void give_large_memory_back();

} // namespace foxwedge
