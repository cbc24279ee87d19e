// An ELF file as ranges of bytes that are checked against its size before they are read.
#pragma once
#include <cstdint>
#include <elf.h>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace foxwedge::plugin {

/// A 64-bit ELF file of this machine, open at a descriptor that it does not own.
class ElfFile {
public:
    /// Checks the header and that every segment lies within the file.
    static Result<ElfFile> open(int fd);

    const std::vector<Elf64_Phdr>& segments() const { return segments_; }
    /// `size` bytes at a file offset; refusal `truncated` when they are not there.
    Result<std::string> at_offset(std::uint64_t offset, std::uint64_t size) const;
    /// The same by the address at which a loader would map them.
    Result<std::string> at_address(std::uint64_t address, std::uint64_t size) const;
    /// How many bytes of the file lie from `address` to the end of its segment.
    std::uint64_t bytes_from(std::uint64_t address) const;

private:
    ElfFile(int fd, std::uint64_t size) : fd_(fd), size_(size) {}
    Status read_header();

    int fd_;
    std::uint64_t size_;
    std::vector<Elf64_Phdr> segments_;
};

} // namespace foxwedge::plugin
