// Matches simple sequences by one bit a position: every way through the pattern at once.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/pattern_translate.hpp"

namespace foxwedge {

class BitMatcher {
public:
    /// Nothing if the sequence is not simple, or has more than 63 positions.
    static std::optional<BitMatcher> make(const ecma::Sequence&);
    bool found_in(std::string_view text) const;

private:
    std::uint64_t mask_of(std::uint32_t code) const;
    std::uint64_t closed(std::uint64_t states) const;

    struct Set {
        std::vector<ecma::Range> beyond_ascii;
        std::uint64_t positions;
    };
    // Bit k: the first k positions are matched. A position's own bits say what it may be.
    std::array<std::uint64_t, 128> ascii_{}; ///< which positions take this character
    std::vector<Set> sets_;
    std::uint64_t optional_ = 0; ///< may be left out
    std::uint64_t repeated_ = 0; ///< may be taken again and again
    std::uint64_t start_ = 0;
    std::uint64_t end_ = 0;
    bool from_start_ = false;
    bool to_end_ = false;
};

} // namespace foxwedge
