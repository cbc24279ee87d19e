#include "postings.hpp"

#include <algorithm>

namespace knowledge {

namespace {

// The first byte of a list.
constexpr char is_row = 0, is_steps = 1;
/// A row where at least one place in so many has the word: reading a place of a row costs about as
/// much less than a step.
constexpr std::size_t dense = 4;

void put_number(std::string& out, std::uint32_t number) {
    for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
    out += static_cast<char>(number);
}

std::string row_of(const std::vector<Posting>& postings, std::uint32_t size) {
    std::string out(1 + size, '\0');
    out[0] = is_row;
    for (const auto& [place, frequency] : postings) out[1 + place] = static_cast<char>(frequency);
    return out;
}

std::string steps_of(const std::vector<Posting>& postings) {
    std::string once, often;
    std::uint32_t next_once = 0, next_often = 0;
    for (const auto& [place, frequency] : postings) {
        if (frequency == 1) {
            auto step = place - next_once;
            for (; step >= detail::far; step -= detail::far) once += static_cast<char>(detail::far);
            once += static_cast<char>(step);
            next_once = place + 1;
        } else {
            put_number(often, place - next_often);
            put_number(often, frequency);
            next_often = place + 1;
        }
    }
    std::string out(1, is_steps);
    put_number(out, static_cast<std::uint32_t>(once.size()));
    return out + once + often;
}

} // namespace

std::string packed(const std::vector<Posting>& postings, std::uint32_t size) {
    constexpr std::uint32_t most_in_a_byte = 255;
    const bool row = postings.size() >= size / dense &&
                     std::all_of(postings.begin(), postings.end(), [](const Posting& posting) {
                         return posting.frequency <= most_in_a_byte;
                     });
    return row ? row_of(postings, size) : steps_of(postings);
}

bool take_apart(std::string_view bytes, std::uint32_t size, List& out) {
    out = {};
    if (bytes.empty()) return false;
    if (bytes[0] == is_row) {
        out.row = bytes.substr(1);
        return out.row.size() == size;
    }
    std::size_t at = 1;
    std::uint32_t once = 0;
    if (bytes[0] != is_steps || !detail::take_number(bytes, at, once) || once > bytes.size() - at)
        return false;
    out.once = bytes.substr(at, once);
    out.often = bytes.substr(at + once);
    return true;
}

} // namespace knowledge
