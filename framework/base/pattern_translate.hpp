// ECMA-262 patterns (u flag) read and rewritten in RE2's syntax. No RE2 here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foxwedge::ecma {

enum class Verdict {
    translated,
    unsupported, ///< valid ECMA-262 that needs backtracking or tables that RE2 lacks
    invalid,
    too_complex,
};

struct Translation {
    Verdict verdict = Verdict::translated;
    std::string re2;    ///< the pattern for RE2, of translated ones
    std::string reason; ///< what stands in the way, of others
    std::size_t offset = 0;
};

/// Never recurses; nesting is bounded.
Translation translate(std::string_view pattern);

using Range = std::pair<std::uint32_t, std::uint32_t>;
inline constexpr std::uint32_t last_code_point = 0x10ffff;

/// A Unicode property as RE2 writes it.
struct Property {
    enum class Kind { none, known, unsupported } kind = Kind::none;
    std::string positive; ///< inside brackets: "\p{Lu}" or ranges
    std::string negative;
};
/// The property named in `\p{…}`: "Letter", "gc=Lu", "Script=Greek", "ASCII"…
Property property(std::string_view name);

/// \d, \s, \w by letter; their complements by capital.
const std::vector<Range>& shorthand(char letter);
std::vector<Range> complement(const std::vector<Range>&);
void append_ranges(std::string& out, const std::vector<Range>&);
void append_code_point(std::string& out, std::uint32_t);

} // namespace foxwedge::ecma
