// Small texts that the box writes.
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace script_box {

/// Longer lines of log() are dropped, longer messages of errors are cut.
inline constexpr std::size_t largest_saying = 16'384, largest_message = 2'000;

/// {"code", "message", "line"?, "column"?}. What is no UTF-8 is left out.
std::string report(std::string_view code, std::string_view message, unsigned line, unsigned column);

/// Four numbers that differ wherever the seeds do.
std::array<double, 4> seed_words(std::string_view seed);

} // namespace script_box
