#include "plugin/file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "plugin/owner.hpp"
#include "plugin/refusal.hpp"

namespace foxwedge::plugin {
namespace {

Error cannot_open(const std::string& path) {
    switch (errno) {
    case ENOENT:
    case ENOTDIR:
        return about_file(refusal("not_found", "there is no such file", "check the name"), path);
    case EXDEV:
    case ELOOP:
        return about_file(refusal("leads_out", "it is a link that leads out of its folder",
                                  "put the library itself there"),
                          path);
    default:
        return about_file(refusal("unreadable",
                                  std::string("cannot be opened: ") + std::strerror(errno),
                                  "make it readable for the user that runs foxwedge"),
                          path);
    }
}

FileStamp stamp_of(const struct stat& s) {
    const auto ns = [](const timespec& t) {
        return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
    };
    return {s.st_dev, s.st_ino, static_cast<std::uint64_t>(s.st_size), ns(s.st_mtim),
            ns(s.st_ctim)};
}

Status check_folder(int fd, const std::string& path) {
    struct stat info;
    if (::fstat(fd, &info) != 0) return cannot_open(path);
    if (auto fit = check_owner(info, "folder"); !fit) return about_file(fit.error(), path);
    return {};
}

} // namespace

Fd::~Fd() {
    if (fd_ >= 0) ::close(fd_);
}
Fd& Fd::operator=(Fd&& other) noexcept {
    if (this != &other) {
        if (fd_ >= 0) ::close(fd_);
        fd_ = other.release();
    }
    return *this;
}
int Fd::release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
}

Result<PluginFile> open_plugin_file(const std::string& folder, const std::string& name) {
    PluginFile file;
    file.path = folder + "/" + name;
    const Fd top(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!top) return cannot_open(folder);
    FOXWEDGE_CHECK(check_folder(top.get(), folder));
    if (const auto slash = name.find('/'); slash != std::string::npos) {
        const auto inner = name.substr(0, slash);
        const Fd below(open_beneath(top.get(), inner, O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!below) return cannot_open(file.path);
        FOXWEDGE_CHECK(check_folder(below.get(), folder + "/" + inner));
    }
    file.fd = Fd(open_beneath(top.get(), name, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.fd) return cannot_open(file.path);
    struct stat info;
    if (::fstat(file.fd.get(), &info) != 0) return cannot_open(file.path);
    if (!S_ISREG(info.st_mode))
        return about_file(refusal("not_a_library", "not a regular file",
                                  "put a shared library built for foxwedge here"),
                          file.path);
    if (auto fit = check_owner(info, "file"); !fit) return about_file(fit.error(), file.path);
    file.stamp = stamp_of(info);
    return file;
}

Result<Digest> digest_of(int fd) {
    Sha256 sum;
    char buffer[1 << 16];
    for (off_t at = 0;;) {
        const auto got = ::pread(fd, buffer, sizeof buffer, at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return refusal("unreadable", std::string("cannot be read: ") + std::strerror(errno),
                           "check the disk");
        if (got == 0) return sum.finish();
        sum.update({buffer, static_cast<std::size_t>(got)});
        at += got;
    }
}

Result<Inspected> inspect(int fd, std::string_view expected_id) {
    FOXWEDGE_TRY(elf, read_elf(fd));
    FOXWEDGE_TRY(descriptor, descriptor_from_text(elf.descriptor));
    if (descriptor.id != expected_id)
        return refusal("wrong_name",
                       "its descriptor says that it is " + descriptor.id + ", not " +
                           std::string(expected_id),
                       "name the file " + descriptor.id + ".so");
    return Inspected{std::move(elf), std::move(descriptor)};
}

} // namespace foxwedge::plugin
