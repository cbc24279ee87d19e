#include "line.hpp"

#include <cerrno>
#include <unistd.h>

namespace script_box {

bool Input::next(std::string& line) {
    for (;;) {
        const auto end = held_.find('\n', searched_);
        if (end != std::string::npos) {
            line.assign(held_, 0, end);
            held_.erase(0, end + 1);
            searched_ = 0;
            return true;
        }
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
