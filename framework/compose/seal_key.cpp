#include "compose/seal_key.hpp"

#include <cerrno>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/id.hpp"

namespace foxwedge::compose {
namespace {

constexpr std::size_t key_bytes = 32;

Error no_key(const std::string& path, std::string_view why) {
    return permanent("seal_key", "the key of served calls " + path + ": " + std::string(why));
}

/// Nothing where there is none yet.
Result<std::optional<std::string>> read_key(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT) return std::optional<std::string>();
    if (fd < 0) return no_key(path, std::strerror(errno));
    auto key = read_whole(fd, path, key_bytes);
    ::close(fd);
    if (!key) return no_key(path, key.error().message);
    if (key->size() != key_bytes)
        return no_key(path, "it is no key; without it a new one is made, and calls that wait for "
                            "an answer of their client are begun anew");
    return std::optional(*std::move(key));
}

/// Whole or not at all; another process may be faster.
Status make_key(const std::string& path) {
    const std::string fresh = path + "." + to_hex(random_bytes(8));
    const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return no_key(path, std::strerror(errno));
    const std::string key = random_bytes(key_bytes);
    const bool written =
        ::write(fd, key.data(), key.size()) == static_cast<ssize_t>(key.size()) && ::fsync(fd) == 0;
    const bool placed = written && (::link(fresh.c_str(), path.c_str()) == 0 || errno == EEXIST);
    const int why = errno;
    ::close(fd);
    ::unlink(fresh.c_str());
    if (!placed) return no_key(path, std::strerror(why));
    return {};
}

} // namespace

Result<std::string> kept_seal_key(const std::string& folder) {
    const std::string path = folder + "/mcp-seal.key";
    for (;;) {
        FOXWEDGE_TRY(key, read_key(path));
        if (key) return *std::move(key);
        FOXWEDGE_CHECK(make_key(path));
    }
}

} // namespace foxwedge::compose
