#include "journal/isolated.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace foxwedge::journal {
namespace {

[[noreturn]] void be_child(int pipe, const std::function<void(const Say&)>& work) {
    for (const int s : {SIGBUS, SIGSEGV, SIGABRT, SIGFPE, SIGILL}) ::signal(s, SIG_DFL);
    ::signal(SIGPIPE, SIG_IGN);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    // LMDB says on stderr what it asserts; the parent says it better.
    if (const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC); null >= 0) ::dup2(null, 2);
    work([pipe](std::string_view line) {
        std::string text(line);
        text += '\n';
        for (std::size_t at = 0; at < text.size();) {
            const ssize_t n = ::write(pipe, text.data() + at, text.size() - at);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return false;
            at += static_cast<std::size_t>(n);
        }
        return true;
    });
    ::_exit(0);
}

} // namespace

Result<Ended> run_isolated(const std::function<void(const Say&)>& work,
                           const std::function<void(std::string_view line)>& line) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return permanent("journal_fault", std::string("no pipe: ") + std::strerror(errno));
    const pid_t child = ::fork();
    if (child < 0) {
        ::close(ends[0]);
        ::close(ends[1]);
        return permanent("journal_fault", std::string("no process: ") + std::strerror(errno));
    }
    if (child == 0) {
        ::close(ends[0]);
        be_child(ends[1], work);
    }
    ::close(ends[1]);
    std::string pending;
    char buffer[65536];
    while (true) {
        const ssize_t n = ::read(ends[0], buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        pending.append(buffer, static_cast<std::size_t>(n));
        std::size_t from = 0;
        for (auto to = pending.find('\n'); to != std::string::npos; to = pending.find('\n', from)) {
            line(std::string_view(pending).substr(from, to - from));
            from = to + 1;
        }
        pending.erase(0, from);
    }
    ::close(ends[0]);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return Ended{WIFEXITED(status) && WEXITSTATUS(status) == 0,
                 WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

} // namespace foxwedge::journal
