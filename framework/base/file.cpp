#include "base/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.hpp"

namespace foxwedge {
namespace {

constexpr std::size_t first_piece = 16 << 10;

Error unreadable(const std::string& name, int reason) {
    return permanent("unreadable",
                     "cannot read " + name + ": " +
                         (reason == EISDIR ? "it is a folder" : std::strerror(reason)));
}

Error irregular(const std::string& name, mode_t mode) {
    const char* const what = S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
    return permanent("unreadable",
                     "cannot read " + name + ": it is " + what + ", and has to be a regular file");
}

/// An open file, or the reason why there is none.
class Opened {
public:
    Opened(const std::string& path, int flags) {
        do fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
        while (fd < 0 && errno == EINTR);
        reason = fd < 0 ? errno : 0;
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened() {
        if (fd >= 0) ::close(fd);
    }
    int fd = -1, reason = 0;
};

std::string name_of(const std::string& path) {
    return "the file " + path;
}

/// Part by part: O_NOFOLLOW looks at the last one alone.
int open_without_links(int folder, const std::string& path, int flags) {
    const auto parts = split(path, '/');
    int at = ::dup(folder);
    for (std::size_t n = 0; at >= 0 && n < parts.size(); ++n) {
        const bool last = n + 1 == parts.size();
        const bool leads_out = parts[n] == ".." || (parts[n].empty() && n == 0);
        if (leads_out) errno = EXDEV;
        const int below =
            leads_out ? -1
                      : ::openat(at, parts[n].empty() ? "." : std::string(parts[n]).c_str(),
                                 O_NOFOLLOW | (last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC));
        const int reason = errno;
        ::close(at);
        errno = reason;
        at = below;
    }
    return at;
}

/// Opens without waiting for the other end of a pipe.
constexpr int at_once = O_NONBLOCK | O_NOCTTY;

Status check_regular(const Opened& file, const std::string& name) {
    if (file.reason == ENXIO) return irregular(name, S_IFSOCK);
    if (file.fd < 0) return unreadable(name, file.reason);
    struct stat info {};
    if (::fstat(file.fd, &info) != 0) return unreadable(name, errno);
    if (S_ISDIR(info.st_mode)) return unreadable(name, EISDIR);
    if (!S_ISREG(info.st_mode)) return irregular(name, info.st_mode);
    return {};
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
    const Opened file(path, 0);
    if (file.fd < 0) return unreadable(name_of(path), file.reason);
    return read_whole(file.fd, name_of(path), most);
}

Result<std::string> read_regular_file(const std::string& path, std::size_t most) {
    const Opened file(path, at_once);
    FOXWEDGE_CHECK(check_regular(file, name_of(path)));
    return read_whole(file.fd, name_of(path), most);
}

Status check_regular_file(const std::string& path) {
    return check_regular(Opened(path, at_once), name_of(path));
}

int open_beneath(int folder, const std::string& path, int flags) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    const auto fd = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    if (fd >= 0 || errno != ENOSYS) return static_cast<int>(fd);
    return open_without_links(folder, path, flags);
}

} // namespace foxwedge
