// Ends a process tree, whoever in it changed group, session or parent.
#pragma once
#include <sys/types.h>

/// SIGKILL to `program`'s group, then to every process that has come to be our child (we are the
/// subreaper, so that is all of them in the end), until none is left. Reports the program's end if
/// it is taken in here.
void kill_tree(pid_t program, void (*report)(const char* what, int number));
