// A plugin's file, opened once; every later look goes through that one descriptor.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/digest.hpp"
#include "base/result.hpp"
#include "plugin/descriptor.hpp"
#include "plugin/elf.hpp"

namespace foxwedge::plugin {

/// An open file descriptor.
class Fd {
public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    ~Fd();
    Fd(Fd&& other) noexcept : fd_(other.release()) {}
    Fd& operator=(Fd&&) noexcept;
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    int release();

private:
    int fd_ = -1;
};

/// What makes two looks at a path the same file with the same content, as far as the file system
/// tells: for noticing changes, not for trust.
struct FileStamp {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t modified_ns = 0, changed_ns = 0;
    bool operator==(const FileStamp&) const = default;
};

struct PluginFile {
    std::string path; ///< folder and name as searched
    Fd fd;
    FileStamp stamp;
};

/// Opens `name` ("<id>.so" or "<id>/<id>.so") inside `folder`: no `..`, no link that leads out, a
/// regular file; file and folders owned by this user or root and writable by no one else. Refusals:
/// `not_found`, `leads_out`, `unsafe_owner`, `unsafe_mode`, `unreadable`, `not_a_library`.
Result<PluginFile> open_plugin_file(const std::string& folder, const std::string& name);

/// SHA-256 of everything in the file.
Result<Digest> digest_of(int fd);

/// The descriptor of a file, checked against the id that its name gives. Runs nothing.
struct Inspected {
    ElfFacts elf;
    Descriptor descriptor;
};
Result<Inspected> inspect(int fd, std::string_view expected_id);

} // namespace foxwedge::plugin
