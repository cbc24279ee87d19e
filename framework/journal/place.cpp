#include "journal/place.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace foxwedge::journal {
namespace {

struct Named {
    std::uint64_t type;
    const char* name;
};
// linux/magic.h and statfs(2); a few have no constant there.
constexpr std::array<Named, 15> unfit_types = {{{0x6969, "NFS"},
                                                {0x517B, "SMB"},
                                                {0xFF534D42, "CIFS"},
                                                {0xFE534D42, "SMB2"},
                                                {0x65735546, "FUSE"},
                                                {0x01021997, "9P"},
                                                {0x5346414F, "AFS"},
                                                {0x6B414653, "kAFS"},
                                                {0x73757245, "Coda"},
                                                {0x564C, "NCP"},
                                                {0x00C36400, "Ceph"},
                                                {0x01161970, "GFS2"},
                                                {0x7461636F, "OCFS2"},
                                                {0x0BD00BD0, "Lustre"},
                                                {0x19830326, "FhGFS"}}};

// LMDB 0.9's file: two meta pages, each a page header of 16 bytes and this.
struct Meta {
    std::uint32_t magic, version;
    std::uint64_t address, map_size;
    struct Database {
        std::uint32_t pad;
        std::uint16_t flags, depth;
        std::uint64_t branch, leaf, overflow, entries, root;
    } databases[2];
    std::uint64_t last_page, transaction;
};
constexpr std::size_t page_header = 16;
constexpr std::uint32_t magic = 0xBEEFC0DE;

bool read_meta(int fd, std::uint64_t at, Meta& meta) {
    return ::pread(fd, &meta, sizeof meta, static_cast<off_t>(at + page_header)) ==
               static_cast<ssize_t>(sizeof meta) &&
           meta.magic == magic && meta.version == 1;
}

Error damaged(const std::string& file, const std::string& what) {
    return permanent("journal_damaged", file + " " + what +
                                            "; nothing has been changed. Restore a copy, or "
                                            "`foxwedge journal export` what can be read");
}

} // namespace

std::uint64_t filesystem_type(const std::string& path) {
    struct statfs s {};
    if (::statfs(path.c_str(), &s) != 0) return 0;
    return static_cast<std::uint32_t>(s.f_type);
}

std::string unfit_filesystem(std::uint64_t type) {
    for (const auto& one : unfit_types)
        if (one.type == type) return one.name;
    return {};
}

Status prepare_folder(const std::string& path, const FilesystemType& type) {
    std::error_code failed;
    const bool there = std::filesystem::exists(path, failed);
    if (!there) {
        std::filesystem::create_directories(path, failed);
        if (failed)
            return permanent("journal_place",
                             "cannot make the journal's folder " + path + ": " + failed.message());
        ::chmod(path.c_str(), 0700);
    }
    const std::string name = unfit_filesystem(type(path));
    if (!name.empty())
        return permanent("journal_place",
                         path + " is on " + name +
                             ", where locks and memory maps cannot be relied on; keep the journal "
                             "on a local disk");
    if (::access(path.c_str(), R_OK | W_OK | X_OK) != 0)
        return permanent("journal_place", "cannot write to the journal's folder " + path + ": " +
                                              std::strerror(errno));
    return {};
}

Status check_data_file(const std::string& file) {
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        if (errno == ENOENT) return {};
        return permanent("journal_place", "cannot read " + file + ": " + std::strerror(errno));
    }
    struct stat s {};
    ::fstat(fd, &s);
    const bool empty = s.st_size == 0;
    Meta first{}, second{};
    const bool first_ok = !empty && read_meta(fd, 0, first);
    const std::uint64_t page = first_ok ? first.databases[0].pad : 4096;
    const bool second_ok = !empty && read_meta(fd, page, second);
    // Again after the meta pages: another process may be making the file longer just now.
    ::fstat(fd, &s);
    const auto size = static_cast<std::uint64_t>(s.st_size);
    ::close(fd);
    if (empty) return {};
    if (!first_ok && !second_ok)
        return damaged(file, "is no journal or its first pages are broken");
    const bool use_second = second_ok && (!first_ok || second.transaction > first.transaction);
    const std::uint64_t needed = ((use_second ? second : first).last_page + 1) * page;
    if (size < needed)
        return damaged(file, "has been cut: it is " + std::to_string(size) +
                                 " bytes long and needs " + std::to_string(needed));
    return {};
}

} // namespace foxwedge::journal
