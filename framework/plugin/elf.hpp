// Reads a shared library as a file, with pread alone: nothing of it is mapped or run, and what a
// loader could stumble over is refused before the loader sees it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace foxwedge::plugin {

inline constexpr std::string_view entry_symbol = "foxwedge_entry_v1";

struct ElfFacts {
    std::string descriptor;           ///< JSON text of the note .note.foxwedge
    std::vector<std::string> needed;  ///< libraries that the dynamic linker will look for
    std::vector<std::string> defined; ///< dynamic symbols that the file defines

    bool has_entry() const;
    /// The first defined symbol that is not the entry, or "". Such a library can be in a process
    /// once only, because the linker joins equal names of two versions.
    std::string_view stray_symbol() const;
};

/// What the file open at `fd` says of itself. Refusals (plugin/refusal.hpp, without a file name):
/// `not_a_library`, `wrong_machine`, `truncated`, `no_descriptor`, `bad_descriptor`,
/// `not_self_contained`, `no_entry`. Reads at most a few hundred KiB. Any thread.
Result<ElfFacts> read_elf(int fd);

} // namespace foxwedge::plugin
