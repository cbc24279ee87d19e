// Small things about text: UTF-8, base64, lists of words.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace foxwedge {

bool is_utf8(std::string_view);
/// `bytes` with each invalid byte replaced by U+FFFD; says through `repaired` whether it had to.
std::string to_utf8(std::string_view bytes, bool* repaired = nullptr);
/// The number of Unicode code points of valid UTF-8.
std::size_t code_points(std::string_view);
/// The first `count` code points.
std::string_view first_code_points(std::string_view, std::size_t count);
/// At most `bytes` bytes, cut between code points.
std::string_view first_bytes(std::string_view, std::size_t bytes);

std::string to_base64(std::string_view bytes);
Result<std::string> from_base64(std::string_view);

std::vector<std::string_view> split(std::string_view, char separator);
std::string_view trimmed(std::string_view);
std::string lower_ascii(std::string_view);
std::string join(const std::vector<std::string>&, std::string_view separator);
/// The candidate nearest to `word`, if one is near enough for "did you mean".
std::string_view nearest(std::string_view word, const std::vector<std::string>& candidates);

} // namespace foxwedge
