#include "tree.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/// A kernel without /proc/<pid>/task/<tid>/children: look at everyone's parent.
void kill_children_by_scan() {
    DIR* all = opendir("/proc");
    if (!all) return;
    while (const dirent* entry = readdir(all)) {
        const pid_t pid = std::atoi(entry->d_name);
        if (pid <= 0) continue;
        char path[64];
        char text[512];
        std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        const ssize_t length = read(file, text, sizeof text - 1);
        close(file);
        if (length <= 0) continue;
        text[length] = 0;
        // The name in parentheses may hold anything: the parent's id follows its last ")".
        const char* after = std::strrchr(text, ')');
        int parent = 0;
        char state = 0;
        if (after && std::sscanf(after + 1, " %c %d", &state, &parent) == 2 && parent == getpid())
            kill(pid, SIGKILL);
    }
    closedir(all);
}

void kill_children() {
    const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (file < 0) return kill_children_by_scan();
    char text[4096];
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return;
    text[length] = 0;
    // A list that was cut loses its last, perhaps cut, number; the next round sees it.
    if (length == static_cast<ssize_t>(sizeof text - 1))
        if (char* last = std::strrchr(text, ' ')) *last = 0;
    for (char* at = text; *at;) {
        char* end = nullptr;
        const long pid = std::strtol(at, &end, 10);
        if (end == at) break;
        kill(static_cast<pid_t>(pid), SIGKILL);
        at = end;
        while (*at == ' ') ++at;
    }
}

} // namespace

void kill_tree(pid_t program, void (*report)(const char*, int)) {
    kill(-program, SIGKILL);
    for (;;) {
        kill_children();
        int status = 0;
        const pid_t pid = waitpid(-1, &status, 0);
        if (pid < 0 && errno == ECHILD) return;
        if (pid != program) continue;
        if (WIFSIGNALED(status))
            report("signal", WTERMSIG(status));
        else
            report("exit", WEXITSTATUS(status));
    }
}
