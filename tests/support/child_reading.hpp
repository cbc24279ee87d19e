// Reading what a child writes, and looking at processes from outside.
#pragma once
#include <cerrno>
#include <fstream>
#include <string>

#include <poll.h>
#include <unistd.h>

#include "process/supervisor.hpp"

namespace foxwedge::test {

/// What `child` writes to stdout until it closes it.
inline std::string read_all(process::Child& child) {
    std::string all;
    char bytes[4096];
    for (;;) {
        pollfd watched{child.out(), POLLIN, 0};
        if (::poll(&watched, 1, 20'000) <= 0) return all + "(timed out)";
        const ssize_t got = ::read(child.out(), bytes, sizeof bytes);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (got <= 0) return all;
        all.append(bytes, static_cast<std::size_t>(got));
    }
}

/// The next line of stdout, without its end. Byte by byte: nothing behind it is taken.
inline std::string read_line(process::Child& child) {
    std::string line;
    for (;;) {
        pollfd watched{child.out(), POLLIN, 0};
        if (::poll(&watched, 1, 20'000) <= 0) return line + "(timed out)";
        char byte = 0;
        const ssize_t got = ::read(child.out(), &byte, 1);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (got <= 0 || byte == '\n') return line;
        line += byte;
    }
}

/// True while process `pid` exists and has not ended (a zombie has).
inline bool runs(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    if (!std::getline(file, text)) return false;
    const auto name_end = text.rfind(')');
    return name_end != text.npos && name_end + 2 < text.size() && text[name_end + 2] != 'Z';
}

} // namespace foxwedge::test
