#include "plugin/elf_file.hpp"

#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/refusal.hpp"

namespace foxwedge::plugin {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t own_machine = EM_X86_64;
constexpr const char* machine_name = "x86-64";
#elif defined(__aarch64__)
constexpr std::uint16_t own_machine = EM_AARCH64;
constexpr const char* machine_name = "AArch64";
#else
#error "name this machine's ELF number here"
#endif

bool within(std::uint64_t offset, std::uint64_t length, std::uint64_t size) {
    return offset <= size && length <= size - offset;
}

Error truncated(const char* what) {
    return refusal("truncated", std::string("the file is cut off: ") + what,
                   "copy it again, to a new name, then rename it");
}
Error not_a_library(const char* what) {
    return refusal("not_a_library", what, "put a shared library built for foxwedge here");
}
Error wrong_machine(std::string what) {
    return refusal("wrong_machine", what, std::string("build it for ") + machine_name);
}

} // namespace

Result<std::string> ElfFile::at_offset(std::uint64_t offset, std::uint64_t size) const {
    if (!within(offset, size, size_)) return truncated("a part of it lies past its end");
    std::string bytes(size, '\0');
    for (std::size_t have = 0; have < size;) {
        const auto got =
            ::pread(fd_, bytes.data() + have, size - have, static_cast<off_t>(offset + have));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return refusal("unreadable", std::string("cannot be read: ") + std::strerror(errno),
                           "check the disk");
        if (got == 0) return truncated("it became shorter while it was read");
        have += static_cast<std::size_t>(got);
    }
    return bytes;
}

Result<std::string> ElfFile::at_address(std::uint64_t address, std::uint64_t size) const {
    if (size > bytes_from(address)) return truncated("a table lies outside its segments");
    for (const auto& s : segments_)
        if (s.p_type == PT_LOAD && within(address - s.p_vaddr, size, s.p_filesz) &&
            address >= s.p_vaddr)
            return at_offset(s.p_offset + (address - s.p_vaddr), size);
    return truncated("a table lies outside its segments");
}

std::uint64_t ElfFile::bytes_from(std::uint64_t address) const {
    for (const auto& s : segments_)
        if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
            return s.p_filesz - (address - s.p_vaddr);
    return 0;
}

Status ElfFile::read_header() {
    Elf64_Ehdr h;
    if (size_ < sizeof h) return not_a_library("too short for a library");
    FOXWEDGE_TRY(bytes, at_offset(0, sizeof h));
    std::memcpy(&h, bytes.data(), sizeof h);
    if (std::memcmp(h.e_ident, ELFMAG, SELFMAG) != 0) return not_a_library("not an ELF file");
    if (h.e_ident[EI_CLASS] != ELFCLASS64) return wrong_machine("not a 64-bit library");
    if (h.e_ident[EI_DATA] != ELFDATA2LSB) return wrong_machine("another byte order");
    if (h.e_machine != own_machine)
        return wrong_machine("built for another machine (ELF number " +
                             std::to_string(h.e_machine) + ")");
    if (h.e_type != ET_DYN) return not_a_library("an ELF file, but not a shared library");
    if (h.e_phentsize != sizeof(Elf64_Phdr) || h.e_phnum == PN_XNUM)
        return not_a_library("its program headers have an unknown form");
    if (!within(h.e_phoff, std::uint64_t{h.e_phnum} * sizeof(Elf64_Phdr), size_))
        return truncated("its program headers lie outside the file");
    FOXWEDGE_TRY(table, at_offset(h.e_phoff, h.e_phnum * sizeof(Elf64_Phdr)));
    segments_.resize(h.e_phnum);
    std::memcpy(segments_.data(), table.data(), table.size());
    for (const auto& s : segments_)
        if ((s.p_type == PT_LOAD || s.p_type == PT_DYNAMIC || s.p_type == PT_NOTE) &&
            !within(s.p_offset, s.p_filesz, size_))
            return truncated("a segment ends past the end of the file");
    return {};
}

Result<ElfFile> ElfFile::open(int fd) {
    struct stat info;
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return not_a_library("not a regular file");
    ElfFile file(fd, static_cast<std::uint64_t>(info.st_size));
    FOXWEDGE_CHECK(file.read_header());
    return file;
}

} // namespace foxwedge::plugin
