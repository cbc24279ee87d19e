// State that travels through a stranger's hands and must come back unchanged.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/json.hpp"

namespace foxwedge::mcp {

/// Compares secrets of one length without telling by time where they differ.
bool same_secret(std::string_view a, std::string_view b);

/// HMAC-SHA-256 under a key of this process or of its host. Any thread.
class Seal {
public:
    /// How long a state is taken back.
    static constexpr Millis lifetime = std::chrono::hours(24);

    Seal();
    /// `clock` outlives it.
    explicit Seal(std::string key, const Clock& clock = system_clock())
        : key_(std::move(key)), clock_(clock) {}
    /// `state` bound to `purpose` (what it was made for), as text.
    std::string closed(const Json& state, std::string_view purpose) const;
    /// The state again; nothing if it was changed, made for something else, or too long ago.
    std::optional<Json> opened(std::string_view text, std::string_view purpose) const;

private:
    std::string tag(std::string_view text, std::string_view purpose) const;
    std::string key_;
    const Clock& clock_;
};

/// Under `key`; under one of this process where that is "".
inline Seal seal_of(const std::string& key) {
    return key.empty() ? Seal() : Seal(key);
}

} // namespace foxwedge::mcp
