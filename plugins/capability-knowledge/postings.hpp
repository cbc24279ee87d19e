// Which entries of a block have a term, and how often: a list as bytes. Small, because the list of
// a common word is read whole for each question.
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

/// Postings by rising place as bytes: the step from the place before, with the last bit for "once",
/// and the frequency where it is another, each in groups of seven bits.
std::string packed(const std::vector<Posting>&);

/// Calls `take(place, frequency)` for each posting of the list; places are below `end`. False if
/// these bytes are no such list.
template <class Take>
bool each_posting(std::string_view bytes, std::uint32_t end, Take&& take);

} // namespace knowledge

namespace knowledge {

namespace detail {

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
bool each_posting(std::string_view bytes, std::uint32_t end, Take&& take) {
    std::uint32_t next = 0; // the lowest place that the next posting can have
    for (std::size_t at = 0; at < bytes.size();) {
        std::uint32_t step = 0, frequency = 1;
        if (!detail::take_number(bytes, at, step)) return false;
        if ((step & 1) == 0 && !detail::take_number(bytes, at, frequency)) return false;
        const std::uint32_t place = next + (step >> 1);
        if (place >= end) return false;
        take(place, frequency);
        next = place + 1;
    }
    return true;
}

} // namespace knowledge
