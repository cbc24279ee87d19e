// A short name for a text. For names and comparisons among friends, never against an enemy.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace capability_kit {

/// 16 hex digits: FNV-1a with another start for each `seed`.
inline std::string hash_text(std::string_view text, std::uint64_t seed = 0) {
    std::uint64_t hash = 0xCBF29CE484222325u ^ seed;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    std::string out(16, '0');
    for (auto digit = out.rbegin(); digit != out.rend(); ++digit, hash >>= 4)
        *digit = "0123456789abcdef"[hash & 15];
    return out;
}

} // namespace capability_kit
