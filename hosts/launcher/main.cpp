// foxwedge's launcher: starts one program, keeps everything that it starts in one tree, and sees to
// it that the tree is gone when the program ends, when the host says so, or when the host dies.
//
//   launcher [--memory BYTES] [--cpu SECONDS] [--files COUNT] -- PATH ARGV0 [ARG]...
//
// Descriptor 3 is a socket to the host. Reports, one a line: "pid N", "exec ERRNO", "exit CODE",
// "signal N". Orders, one byte each: 'T' asks the program's group to end, 'K' kills the tree; end
// of file means that the host is gone, even by SIGKILL, and kills it too. Linked statically and
// free of the C++ library: a child costs its own start and little more.
#include "tree.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int control = 3;
constexpr int heard_signals[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP};

struct Options {
    rlim_t memory = 0;
    rlim_t cpu = 0;
    rlim_t files = 0;
    char** program = nullptr; // PATH, ARGV0, ARG...
};

bool read_options(int argc, char** argv, Options& options) {
    // Every limit is a name and a figure.
    for (int i = 1; i < argc; i += 2) {
        if (!std::strcmp(argv[i], "--")) {
            options.program = argv + i + 1;
            return argc - i > 2;
        }
        if (i + 1 >= argc) return false;
        const rlim_t figure = std::strtoull(argv[i + 1], nullptr, 10);
        if (!std::strcmp(argv[i], "--memory"))
            options.memory = figure;
        else if (!std::strcmp(argv[i], "--cpu"))
            options.cpu = figure;
        else if (!std::strcmp(argv[i], "--files"))
            options.files = figure;
        else
            return false;
    }
    return false;
}

void report(const char* what, int number) {
    char line[48];
    const int length = std::snprintf(line, sizeof line, "%s %d\n", what, number);
    // The host may be gone already; then nobody needs to know.
    (void)!write(control, line, static_cast<std::size_t>(length));
}

void limit(int resource, rlim_t value) {
    if (value == 0) return;
    const rlimit both{value, value};
    setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

/// Runs between vfork and execve: async-signal-safe calls only.
[[noreturn]] void become(const Options& options, const sigset_t& original, volatile int& failure) {
    setpgid(0, 0);
    // Our only thread is the parent thread, so this fires when the launcher itself is killed.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigprocmask(SIG_SETMASK, &original, nullptr);
    limit(RLIMIT_AS, options.memory);
    limit(RLIMIT_CPU, options.cpu);
    limit(RLIMIT_NOFILE, options.files);
    execve(options.program[0], options.program + 1, environ);
    failure = errno;
    _exit(127);
}

/// Takes in the ended. True if the program itself is among them; it is then reported.
bool reap(pid_t program) {
    bool ended = false;
    int status = 0;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        if (pid != program) continue;
        ended = true;
        if (WIFSIGNALED(status))
            report("signal", WTERMSIG(status));
        else
            report("exit", WEXITSTATUS(status));
    }
    return ended;
}

/// Serves the host until the program ends or the host wants it gone.
void serve(pid_t program, int signals) {
    pollfd watched[2] = {{control, POLLIN, 0}, {signals, POLLIN, 0}};
    for (;;) {
        if (poll(watched, 2, -1) < 0) continue;
        if (watched[1].revents) {
            signalfd_siginfo info;
            if (read(signals, &info, sizeof info) > 0 && info.ssi_signo != SIGCHLD) return;
            if (reap(program)) return;
        }
        if (watched[0].revents) {
            char order = 0;
            const ssize_t got = read(control, &order, 1);
            if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (got <= 0 || order == 'K') return;
            if (order == 'T') kill(-program, SIGTERM);
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    if (!read_options(argc, argv, options)) {
        std::fputs("usage: launcher [--memory BYTES] [--cpu SECONDS] [--files COUNT] -- PATH ARGV0 "
                   "[ARG]...   (descriptor 3: the host)\n",
                   stderr);
        return 2;
    }
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fcntl(control, F_SETFD, FD_CLOEXEC);
    std::signal(SIGPIPE, SIG_IGN);

    sigset_t handled;
    sigset_t original;
    sigemptyset(&handled);
    for (const int each : heard_signals) sigaddset(&handled, each);
    sigprocmask(SIG_BLOCK, &handled, &original);
    const int signals = signalfd(-1, &handled, SFD_CLOEXEC);

    volatile int failure = 0;
    const pid_t program = vfork();
    if (program == 0) {
        std::signal(SIGPIPE, SIG_DFL);
        become(options, original, failure);
    }
    if (program < 0) failure = errno;
    if (failure) {
        report("exec", failure);
        return 127;
    }
    report("pid", program);
    // The program alone keeps its streams: the host sees their end when the program ends.
    for (int stream = 0; stream < control; ++stream) close(stream);
    serve(program, signals);
    kill_tree(program, report);
    return 0;
}
