// The door to the dynamic loader. What it maps stays mapped until the process ends, so what it
// knows is the process's: the one thing in this layer that all hosts of a process share.
#pragma once
#include <string>
#include <string_view>

#include <foxwedge/abi.h>

#include "base/digest.hpp"
#include "base/result.hpp"

namespace foxwedge::plugin {

/// The right to open the library at a path. While one lives, no second one for that path does.
class Claim {
public:
    Claim() = default;
    ~Claim();
    Claim(Claim&&) noexcept;
    Claim& operator=(Claim&&) noexcept;
    explicit operator bool() const { return !path_.empty(); }
    const std::string& path() const { return path_; }
    /// Keeps it until the process ends: the library still runs something.
    void keep();

private:
    friend Claim claim(std::string path);
    std::string path_;
};
/// Empty if somebody in this process has it.
Claim claim(std::string path);

/// Notes that a library with symbols of its own will be mapped. Refusal `needs_restart` if another
/// build of that plugin, or one that defines the same symbols, has been: the linker would join
/// them.
Status admit_stray(const std::string& id, const Digest&, std::string_view symbol);

/// Maps the claimed library with immediate, local binding and returns its entry, unchecked beyond
/// its presence. Refusal `not_loadable` with the loader's own words.
Result<const foxwedge_entry*> map_library(const Claim&);

} // namespace foxwedge::plugin
