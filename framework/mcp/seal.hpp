// State that travels through a stranger's hands and must come back unchanged.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace foxwedge::mcp {

/// Compares secrets of one length without telling by time where they differ.
bool same_secret(std::string_view a, std::string_view b);

/// HMAC-SHA-256 under a key of this process. Any thread.
class Seal {
public:
    Seal();
    explicit Seal(std::string key) : key_(std::move(key)) {}
    /// `state` bound to `purpose` (what it was made for), as text.
    std::string closed(const Json& state, std::string_view purpose) const;
    /// The state again; nothing if it was changed or made for something else.
    std::optional<Json> opened(std::string_view text, std::string_view purpose) const;

private:
    std::string tag(std::string_view text, std::string_view purpose) const;
    std::string key_;
};

} // namespace foxwedge::mcp
