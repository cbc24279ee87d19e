// A host that starts one child and is then killed by a test:  child-host COMMAND [ARG]...
// Prints the child's first line; lives until its stdin ends.
#include <cstdio>
#include <cstring>

#include "child_reading.hpp"

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    foxwedge::process::Supervisor supervisor;
    foxwedge::process::Command command;
    command.program = argv[1];
    command.args.assign(argv + 2, argv + argc);
    auto child = supervisor.start(command);
    if (!child) {
        std::fprintf(stderr, "%s\n", child.error().message.c_str());
        return 1;
    }
    std::printf("%s\n", foxwedge::test::read_line(**child).c_str());
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
    return 0;
}
