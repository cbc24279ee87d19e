#include "plugin/private_copy.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include "base/id.hpp"
#include "plugin/file.hpp"
#include "plugin/owner.hpp"
#include "plugin/refusal.hpp"

namespace foxwedge::plugin {
namespace {

constexpr mode_t copy_mode = 0500;

Error no_copy(const std::string& path, int error) {
    return about_file(
        refusal("no_private_copy",
                std::string("the private copy cannot be written: ") + std::strerror(error),
                "make room and make the state folder writable"),
        path);
}

Result<Fd> open_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return no_copy(folder, error.value());
    Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return no_copy(folder, errno);
    struct stat info;
    if (::fstat(fd.get(), &info) != 0) return no_copy(folder, errno);
    if (auto fit = check_owner(info, "folder"); !fit) return about_file(fit.error(), folder);
    if ((info.st_mode & 077) != 0) ::fchmod(fd.get(), 0700);
    return fd;
}

bool holds_already(int folder, const std::string& name, const Digest& expected) {
    const Fd there(::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat info;
    if (!there || ::fstat(there.get(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
    if (info.st_uid != ::geteuid() || (info.st_mode & 07777) != copy_mode) return false;
    const auto digest = digest_of(there.get());
    return digest && *digest == expected;
}

Result<Digest> copy_bytes(int from, int to, const std::string& path) {
    Sha256 sum;
    char buffer[1 << 16];
    for (off_t at = 0;;) {
        const auto got = ::pread(from, buffer, sizeof buffer, at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return no_copy(path, errno);
        if (got == 0) return sum.finish();
        sum.update({buffer, static_cast<std::size_t>(got)});
        at += got;
        for (ssize_t done = 0; done < got;) {
            const auto put = ::write(to, buffer + done, static_cast<std::size_t>(got - done));
            if (put < 0 && errno == EINTR) continue;
            if (put < 0) return no_copy(path, errno);
            done += put;
        }
    }
}

} // namespace

Result<std::string> private_copy(int fd, const Digest& expected, const std::string& folder,
                                 const std::string& name) {
    FOXWEDGE_TRY(at, open_folder(folder));
    const auto path = folder + "/" + name;
    if (holds_already(at.get(), name, expected)) return path;
    const auto fresh = "." + name + "." + to_hex(random_bytes(8));
    const Fd out(::openat(at.get(), fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!out) return no_copy(path, errno);
    auto copied = copy_bytes(fd, out.get(), path);
    if (copied && *copied != expected)
        copied = refusal("changed_while_read", "it was changed while it was being read",
                         "replace it by rename, not by writing into it, and try again");
    if (copied && (::fchmod(out.get(), copy_mode) != 0 ||
                   ::renameat(at.get(), fresh.c_str(), at.get(), name.c_str()) != 0))
        copied = no_copy(path, errno);
    if (!copied) {
        ::unlinkat(at.get(), fresh.c_str(), 0);
        return copied.error();
    }
    return path;
}

} // namespace foxwedge::plugin
