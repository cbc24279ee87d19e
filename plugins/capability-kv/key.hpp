// Keys: their normal form, their length, and those that belong to the runtime.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kv {

constexpr std::size_t max_key = 500; ///< Unicode code points

/// Unicode normal form C, so that what looks the same is the same key. Nothing if it is no UTF-8.
std::optional<std::string> normal_form(std::string_view text);

/// Unicode code points of well-formed UTF-8.
std::size_t code_points(std::string_view text);
/// The first `most` code points.
std::string_view first_code_points(std::string_view text, std::size_t most);

/// The runtime keeps its accounting under these keys; tools read them and never write them.
bool is_reserved(std::string_view key, bool conversation);

} // namespace kv
