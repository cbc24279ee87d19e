// What the strict reader and the reader of written-by-people JSON share: strings and mistakes.
#pragma once
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/error.hpp"

namespace foxwedge::lexis {

/// True for bytes that a JSON string holds as they are, ASCII only.
inline bool plain(char c) noexcept {
    auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

#if defined(__SSE2__)
/// A bit for each of 16 bytes that is not plain.
inline unsigned not_plain(__m128i bytes) noexcept {
    // Signed: bytes from 0x80 on are below the blank too, and stop a run as control codes do.
    auto stops = _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20)),
                              _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                           _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
    return static_cast<unsigned>(_mm_movemask_epi8(stops));
}
#endif

/// The first byte that ends a run of plain ones.
inline const char* skip_plain(const char* at, const char* end) noexcept {
#if defined(__SSE2__)
    while (end - at >= 16) {
        auto stops = not_plain(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
        if (stops != 0) return at + __builtin_ctz(stops);
        at += 16;
    }
#endif
    while (at != end && plain(*at)) ++at;
    return at;
}

/// A read string: a view of the text where it had no escapes, else of `buffer`.
struct Text {
    std::string_view value;
    const char* end = nullptr;     ///< behind the closing quote; null after a mistake
    const char* mistake = nullptr; ///< where
    const char* reason = nullptr;  ///< what
    bool escaped = false;          ///< value lies in the buffer
};

/// Reads the string whose opening quote is at `at`. Lone surrogates become U+FFFD.
Text read_string(const char* at, const char* end, std::string& buffer);

/// The error `invalid_json` for a mistake at `offset` of `text`.
Error mistake(std::string_view text, std::size_t offset, std::string_view reason);

} // namespace foxwedge::lexis
