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

using Range = std::pair<std::uint32_t, std::uint32_t>;
inline constexpr std::uint32_t last_code_point = 0x10ffff;
inline constexpr std::uint32_t endless = 0xffffffff;

/// Code points of a set, so many in a row.
struct Item {
    std::vector<Range> set; ///< sorted, apart
    std::uint32_t least = 1;
    std::uint32_t most = 1;
};

/// A pattern that is a plain sequence: no groups, no alternatives. Most patterns of schemas are.
struct Sequence {
    bool simple = true; ///< false: the pattern is something else
    bool from_start = false;
    bool to_end = false;
    std::vector<Item> items;
};

struct Translation {
    Verdict verdict = Verdict::translated;
    std::string re2;    ///< the pattern for RE2, of translated ones
    Sequence sequence;  ///< the same, if it is so simple
    std::string reason; ///< what stands in the way, of others
    std::size_t offset = 0;
};

/// Never recurses; nesting is bounded.
Translation translate(std::string_view pattern);

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
/// The same set, sorted and without overlaps.
std::vector<Range> normalised(std::vector<Range>);
void append_ranges(std::string& out, const std::vector<Range>&);
void append_code_point(std::string& out, std::uint32_t);

} // namespace foxwedge::ecma
