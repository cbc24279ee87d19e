#include "base/pattern_bits.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace foxwedge {

std::optional<BitMatcher> BitMatcher::make(const ecma::Sequence& sequence) {
    constexpr std::size_t most_positions = 63;
    if (!sequence.simple) return std::nullopt;
    BitMatcher matcher;
    matcher.from_start_ = sequence.from_start;
    matcher.to_end_ = sequence.to_end;
    std::size_t position = 0;
    for (const auto& item : sequence.items) {
        bool endless = item.most == ecma::endless;
        // "a{2,4}" is a a a? a?; "a{2,}" is a a+, "a*" an optional a+.
        std::size_t count = endless ? std::max<std::uint32_t>(item.least, 1) : item.most;
        if (position + count > most_positions) return std::nullopt;
        std::uint64_t positions = 0;
        for (std::size_t i = 0; i < count; ++i) {
            auto bit = std::uint64_t{1} << ++position;
            positions |= bit;
            if (i >= item.least) matcher.optional_ |= bit;
            if (endless && i + 1 == count) matcher.repeated_ |= bit;
        }
        Set set{{}, positions};
        for (auto [from, to] : item.set) {
            for (auto code = from; code <= std::min<std::uint32_t>(to, 0x7f); ++code)
                matcher.ascii_[code] |= positions;
            if (to > 0x7f) set.beyond_ascii.emplace_back(std::max<std::uint32_t>(from, 0x80), to);
        }
        if (!set.beyond_ascii.empty() && positions != 0) matcher.sets_.push_back(std::move(set));
    }
    matcher.start_ = matcher.closed(1);
    matcher.end_ = std::uint64_t{1} << position;
    return matcher;
}

/// The states, with those that are reached by leaving optional positions out.
std::uint64_t BitMatcher::closed(std::uint64_t states) const {
    for (auto fresh = states; (fresh = (fresh << 1) & optional_ & ~states) != 0;) states |= fresh;
    return states;
}

std::uint64_t BitMatcher::mask_of(std::uint32_t code) const {
    std::uint64_t mask = 0;
    for (const auto& set : sets_) {
        auto after = std::upper_bound(set.beyond_ascii.begin(), set.beyond_ascii.end(),
                                      ecma::Range{code, ecma::last_code_point});
        if (after != set.beyond_ascii.begin() && std::prev(after)->second >= code)
            mask |= set.positions;
    }
    return mask;
}

bool BitMatcher::found_in(std::string_view text) const {
    auto states = start_;
    const char* end = text.data() + text.size();
    for (const char* at = text.data(); at != end;) {
        if (!to_end_ && (states & end_)) return true;
        std::uint64_t mask = 0;
        if (auto byte = static_cast<unsigned char>(*at); byte < 0x80) {
            mask = ascii_[byte];
            ++at;
        } else if (auto length = utf8::sequence(at, end)) {
            mask = mask_of(utf8::decode(at, length));
            at += length;
        } else {
            ++at; // no character, so nothing takes it
        }
        states = closed(((states << 1) | (states & repeated_)) & mask);
        if (!from_start_)
            states |= start_;
        else if (states == 0)
            return false;
    }
    return (states & end_) != 0;
}

} // namespace foxwedge
