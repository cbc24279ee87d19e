// A cursor names the last key of a page, so that pages stay right while keys come and go: a key
// that is there all the time is seen exactly once.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kv {

constexpr std::size_t max_cursor = 3000; ///< characters; a key of 500 code points needs 2,674

std::string make_cursor(bool conversation, std::string_view last_key);
/// The last key; nothing if the text is no cursor of a list in this scope.
std::optional<std::string> read_cursor(bool conversation, std::string_view cursor);

} // namespace kv
