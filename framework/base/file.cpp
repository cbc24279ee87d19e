#include "base/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace foxwedge {
namespace {

constexpr std::size_t first_piece = 16 << 10;

Error unreadable(const std::string& name, int reason) {
    return permanent("unreadable",
                     "cannot read " + name + ": " +
                         (reason == EISDIR ? "it is a folder" : std::strerror(reason)));
}

} // namespace

Result<std::string> read_whole(int fd, const std::string& name, std::size_t most) {
    std::string text;
    for (std::size_t used = 0;;) {
        if (used > most)
            return permanent("too_large",
                             name + " is larger than " + std::to_string(most) + " bytes");
        if (used == text.size()) text.resize(std::min(most + 1, std::max(first_piece, 2 * used)));
        const auto got = ::read(fd, text.data() + used, text.size() - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return unreadable(name, errno);
        if (got == 0) {
            text.resize(used);
            return text;
        }
        used += static_cast<std::size_t>(got);
    }
}

Result<std::string> read_whole_file(const std::string& path, std::size_t most) {
    const std::string name = "the file " + path;
    int fd = -1;
    do fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) return unreadable(name, errno);
    auto text = read_whole(fd, name, most);
    ::close(fd);
    return text;
}

} // namespace foxwedge
