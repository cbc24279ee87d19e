// Numbers between text and double, exactly; shared by the JSON readers and writers.
#pragma once
#include <cstddef>
#include <cstdint>

namespace foxwedge::number {

struct Literal {
    enum class Kind : std::uint8_t { none, int64, uint64, real, too_large } kind = Kind::none;
    const char* end = nullptr; ///< behind the literal
    union {
        std::int64_t i;
        std::uint64_t u;
        double d;
    };
};

/// Reads the JSON number that starts at `at`; kind none if there is none.
Literal read(const char* at, const char* end) noexcept;

inline constexpr std::size_t text_room = 32;
/// Writes `value` (finite) as ECMAScript does; returns the end. `keep_kind`: whole numbers that
/// would read back as another kind or value get ".0".
char* write(char* out, double value, bool keep_kind) noexcept;

} // namespace foxwedge::number
