#include "streams.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "output.hpp"

namespace foxwedge::cli {

void prepare_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        // The lowest free number is this one: those below are open by now.
        if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF) (void)!::open("/dev/null", O_RDWR);
    std::signal(SIGXFSZ, SIG_IGN);
}

int finish_streams(int exit) {
    int reason = output_failure();
    errno = 0;
    if (std::fflush(stdout) != 0 && reason == 0) reason = errno;
    if (reason == 0 && std::ferror(stdout)) reason = EIO;
    if (reason == 0 || reason == EPIPE) return exit;
    note(inked_error("error", Ink::red) + ": standard output did not take all of it: " +
         std::strerror(reason) + "; what is on record can be shown again");
    return exit == succeeded ? fault : exit;
}

} // namespace foxwedge::cli
