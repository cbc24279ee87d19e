// How a server's tools are called towards models and in grants.
#pragma once
#include <set>
#include <string>
#include <string_view>

namespace foxwedge::mcp {

/// The longest name that every model service takes.
inline constexpr std::size_t longest_tool_id = 64;

/// `<server>_<tool>` with each foreign character as `_`, always `[A-Za-z0-9_-]{1,64}`. Where that
/// changed a character, is too long or is `taken`: cut to 51 characters plus `_` and 12 hex digits
/// of SHA-256 of `<server>/<raw name>`, so that two tools never share an id.
std::string tool_id(std::string_view server, std::string_view raw_name,
                    const std::set<std::string, std::less<>>& taken = {});

} // namespace foxwedge::mcp
