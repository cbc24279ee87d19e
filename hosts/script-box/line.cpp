#include "line.hpp"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace script_box {

bool Input::has_next() {
    const auto end = held_.find('\n', std::max(taken_, searched_));
    searched_ = end == std::string::npos ? held_.size() : end;
    return end != std::string::npos;
}

bool Input::next(std::string& line) {
    for (;;) {
        if (has_next()) {
            line.assign(held_, taken_, searched_ - taken_);
            taken_ = searched_ + 1;
            return true;
        }
        held_.erase(0, taken_);
        taken_ = 0;
        searched_ = held_.size();
        char bytes[64 * 1024];
        const auto got = ::read(STDIN_FILENO, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        held_.append(bytes, static_cast<std::size_t>(got));
    }
}

void Output::line(std::string_view word, std::string_view rest) {
    held_ += word;
    if (!rest.empty()) {
        held_ += ' ';
        held_ += rest;
    }
    held_ += '\n';
}

void Output::flush() {
    busy_ = true;
    for (std::size_t done = 0; done < held_.size();) {
        const auto put = ::write(STDOUT_FILENO, held_.data() + done, held_.size() - done);
        if (put > 0) done += static_cast<std::size_t>(put);
        if (put < 0 && errno != EINTR) ::_exit(0);
    }
    held_.clear();
    busy_ = false;
}

} // namespace script_box
