// Compiled schemas of one plugin, by handle and by text.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/json.hpp"
#include "schema/schema.hpp"

namespace foxwedge::plugin {

/// Any thread.
class Judges {
public:
    using Compiled = std::shared_ptr<const schema::Schema>;

    Result<std::uint64_t> compile(const Json& schema);
    /// Error `not_found` for a handle that was never given or was given back.
    Status release(std::uint64_t handle);
    Result<Compiled> by_handle(std::uint64_t handle) const;
    /// Compiled on the first use, and kept for the next ones.
    Result<Compiled> of(const Json& schema);

private:
    mutable std::mutex mutex_;
    std::uint64_t last_ = 0;
    std::map<std::uint64_t, Compiled> handles_;
    std::map<std::string, Compiled> seen_; // by text
};

} // namespace foxwedge::plugin
