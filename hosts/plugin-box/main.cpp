// foxwedge's plugin box: runs one component of one plugin for the host that started it.
//
// The host's frames come on descriptor 0, the box's go out on 1. Both are moved out of the way
// before anything of the plugin runs: what it prints goes to stderr, what it reads is empty.
//
// With `--sealed FOLDER`, as `foxwedge plugins check` starts it, the plugin may do next to nothing
// but answer (seal.hpp).
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

#include "base/room.hpp"
#include "plugin/box_server.hpp"
#include "seal.hpp"

int main(int argc, char** argv) {
    const int in = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    const int out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in < 0 || out < 0 || nothing < 0 || ::isatty(in)) {
        std::fputs(
            "usage: a foxwedge host starts this for plugins with \"isolation\": \"process\"\n",
            stderr);
        return 2;
    }
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    std::signal(SIGPIPE, SIG_IGN);
    if (argc == 3 && std::string_view(argv[1]) == "--sealed")
        if (const auto failed = foxwedge::box::seal(argv[2]); !failed.empty()) {
            std::fprintf(stderr, "the box cannot be sealed: %s\n", failed.c_str());
            return 3;
        }
    // After the seal, so that it holds on every thread.
    return foxwedge::with_roomy_stack([&]() -> int { foxwedge::plugin::serve_box(in, out); });
}
