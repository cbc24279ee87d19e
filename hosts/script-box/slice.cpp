#include "slice.hpp"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/time.h>
#include <unistd.h>

namespace script_box {
namespace {

const Output* output = nullptr;
char last_words[160];
std::size_t last_words_size = 0;

/// In a signal handler: only what is async-signal-safe.
void out_of_time(int) {
    // What stands in the middle of a line is finished first; the next tick comes soon.
    if (output->busy()) return;
    for (std::size_t done = 0; done < last_words_size;) {
        const auto put = ::write(STDOUT_FILENO, last_words + done, last_words_size - done);
        if (put <= 0) break;
        done += static_cast<std::size_t>(put);
    }
    ::_exit(0);
}

} // namespace

void watch_slices(const Output& out) {
    output = &out;
    struct sigaction action {};
    action.sa_handler = out_of_time;
    sigfillset(&action.sa_mask);
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    ::sigaction(SIGPROF, &action, nullptr);
}

void begin_slice(std::uint64_t cpu_ms) {
    const int size = std::snprintf(
        last_words, sizeof last_words,
        "fail {\"code\":\"TIMEOUT\",\"message\":\"the script computed for more than %llu ms "
        "without waiting for anything\"}\n",
        static_cast<unsigned long long>(cpu_ms));
    last_words_size = static_cast<std::size_t>(size);
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(cpu_ms / 1000);
    timer.it_value.tv_usec = static_cast<suseconds_t>(cpu_ms % 1000 * 1000);
    timer.it_interval.tv_usec = 10'000;
    ::setitimer(ITIMER_PROF, &timer, nullptr);
}

} // namespace script_box
