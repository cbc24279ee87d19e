// foxwedge.lock: the plugins that a configuration was tried with, pinned by content.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "plugin/listing.hpp"

namespace foxwedge::plugin {

inline constexpr int lock_version = 1;

struct Locked {
    std::string version, sha256; ///< sha256 in lower-case hex
    unsigned abi_major = 0, abi_min_minor = 0;
    bool operator==(const Locked&) const = default;
};

/// By plugin id. With a lock only what it lists is loaded, and only with that content.
struct Lock {
    std::map<std::string, Locked> plugins;

    /// Refusals `not_locked`, `changed_since_lock`.
    Status admits(const std::string& id, const Digest&) const;
    /// Refuses the rows that it does not admit; of one without a digest only the id is judged.
    void judge(std::vector<Row>&) const;
    bool operator==(const Lock&) const = default;
};

/// The path of the lock that belongs to a configuration file.
std::string lock_path_for(const std::string& config_file);

/// Nothing locked is told from locked: no file gives nothing. Errors: `bad_lock`, `unreadable`.
Result<std::optional<Lock>> read_lock(const std::string& path);
/// Pins the usable rows (they need digests). Written to a new file and renamed.
Status write_lock(const std::string& path, const Lock&);
Lock lock_of(const std::vector<Row>&);
using foxwedge::to_text; // one set of overloads with those below

std::string to_text(const Lock&);

} // namespace foxwedge::plugin
