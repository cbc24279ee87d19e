// One step through UTF-8, shared by the readers of this layer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace foxwedge::utf8 {

/// The length of the well-formed sequence at `at`, or 0 if there is none before `end`.
inline std::size_t sequence(const char* at, const char* end) noexcept {
    auto byte = [&](std::ptrdiff_t i) { return static_cast<unsigned char>(at[i]); };
    auto more = [&](std::ptrdiff_t i) { return end - at > i && (byte(i) & 0xc0) == 0x80; };
    unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first < 0xc2) return 0;
    if (first < 0xe0) return more(1) ? 2 : 0;
    if (first < 0xf0) {
        if (!more(1) || !more(2)) return 0;
        if (first == 0xe0 && byte(1) < 0xa0) return 0;
        if (first == 0xed && byte(1) > 0x9f) return 0; // surrogates
        return 3;
    }
    if (first > 0xf4 || !more(1) || !more(2) || !more(3)) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) > 0x8f) return 0;
    return 4;
}

/// The code point of a well-formed sequence of `length` bytes.
inline std::uint32_t decode(const char* at, std::size_t length) noexcept {
    auto byte = [&](std::size_t i) { return static_cast<unsigned char>(at[i]); };
    switch (length) {
    case 1:
        return byte(0);
    case 2:
        return (byte(0) & 0x1fU) << 6 | (byte(1) & 0x3fU);
    case 3:
        return (byte(0) & 0x0fU) << 12 | (byte(1) & 0x3fU) << 6 | (byte(2) & 0x3fU);
    default:
        return (byte(0) & 0x07U) << 18 | (byte(1) & 0x3fU) << 12 | (byte(2) & 0x3fU) << 6 |
               (byte(3) & 0x3fU);
    }
}

inline void append(std::string& out, std::uint32_t code) {
    auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0 | code >> 6);
        put(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        put(0xe0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    } else {
        put(0xf0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3f));
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    }
}

} // namespace foxwedge::utf8
