// Unicode code points: the unit of the limits on texts.
#pragma once
#include <cstddef>
#include <string_view>

namespace capability_kit {

inline bool starts_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

/// Unicode code points of well-formed UTF-8.
inline std::size_t code_points(std::string_view text) {
    std::size_t n = 0;
    for (const char c : text) n += starts_character(c);
    return n;
}

/// The first `most` code points.
inline std::string_view first_code_points(std::string_view text, std::size_t most) {
    std::size_t at = 0;
    for (; at < text.size(); ++at)
        if (starts_character(text[at]) && most-- == 0) break;
    return text.substr(0, at);
}

} // namespace capability_kit
