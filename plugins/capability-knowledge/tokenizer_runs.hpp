// each_run of tokenizer.hpp.
#pragma once
#include <cstddef>

#include <utf8proc.h>

namespace knowledge {

/// The code point at `at` and its size in bytes; a broken byte counts as a character of its own.
struct Character {
    std::int32_t code_point = 0xFFFD;
    std::size_t size = 1;
};
inline Character character_at(std::string_view text, std::size_t at) {
    Character out;
    if (const auto byte = static_cast<unsigned char>(text[at]); byte < 0x80) return {byte, 1};
    const auto size =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                         static_cast<utf8proc_ssize_t>(text.size() - at), &out.code_point);
    if (size > 0) out.size = static_cast<std::size_t>(size);
    return out;
}

template <class Take>
void each_run(std::string_view text, Take&& take) {
    std::size_t from = 0;
    bool unspaced = false;
    for (std::size_t at = 0; at < text.size();) {
        const auto [code_point, size] = character_at(text, at);
        const bool now = is_unspaced(code_point);
        if (at == from) unspaced = now;
        if (now != unspaced) {
            take(from, at, unspaced);
            from = at;
            unspaced = !unspaced;
        }
        at += size;
    }
    if (from < text.size()) take(from, text.size(), unspaced);
}

} // namespace knowledge
