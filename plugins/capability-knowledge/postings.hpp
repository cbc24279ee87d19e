// Which entries of a block have a term, and how often: a list as bytes. Every list of a question is
// read whole, so that what counts is how fast. Most words are found once in a text: where, is one
// byte each, what it is worth there is known before. A word that most texts have is told for every
// place instead, which needs no steps.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace knowledge {

struct Posting {
    std::uint32_t place;     ///< within the block, or an entry's number
    std::uint32_t frequency; ///< occurrences, at least 1; those in the title count for more
};

/// Postings by rising place, of a block of `size` places, as bytes.
std::string packed(const std::vector<Posting>&, std::uint32_t size);

/// A list taken apart: either `row` or the other two.
struct List {
    std::string_view row;   ///< for each place a byte, the frequency there
    std::string_view once;  ///< places with frequency 1
    std::string_view often; ///< the others
};
/// False if these bytes are no list of a block of `size` places.
bool take_apart(std::string_view bytes, std::uint32_t size, List&);

/// Calls `take(place)` for each of List::once. False if one is not below `size`.
template <class Take>
bool each_once(std::string_view once, std::uint32_t size, Take&& take);
/// Calls `take(place, frequency)` for each of List::often. False if one is not below `size`.
template <class Take>
bool each_often(std::string_view often, std::uint32_t size, Take&& take);

} // namespace knowledge

namespace knowledge {

namespace detail {

constexpr std::uint8_t far = 255; ///< a step of so many, and more to come

/// The number at `at`, which moves behind it; false if it is cut off or too large.
inline bool take_number(std::string_view bytes, std::size_t& at, std::uint32_t& number) {
    number = 0;
    for (int shift = 0; at < bytes.size() && shift < 32; shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes[at++]);
        number |= static_cast<std::uint32_t>(byte & 0x7F) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

} // namespace detail

template <class Take>
bool each_once(std::string_view once, std::uint32_t size, Take&& take) {
    std::uint32_t next = 0; // the lowest place that the next posting can have
    for (const char c : once) {
        const auto step = static_cast<std::uint8_t>(c);
        next += step;
        if (step == detail::far) continue;
        if (next >= size) return false;
        take(next++);
    }
    return true;
}

template <class Take>
bool each_often(std::string_view often, std::uint32_t size, Take&& take) {
    std::uint32_t next = 0;
    for (std::size_t at = 0; at < often.size();) {
        std::uint32_t step = 0, frequency = 0;
        if (!detail::take_number(often, at, step) || !detail::take_number(often, at, frequency))
            return false;
        if (step >= size || next + step >= size) return false;
        next += step;
        take(next++, frequency);
    }
    return true;
}

} // namespace knowledge
