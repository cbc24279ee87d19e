// Cursors: list:<revision> for lists, search:<mode><offset>.<question> for searches, so that one of
// the other action, or of another question, is refused rather than read as something else.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace knowledge {

constexpr std::size_t max_cursor = 80; ///< characters

/// A list goes on after what was changed last at this revision.
std::string list_cursor(std::int64_t revision);
std::optional<std::int64_t> read_list_cursor(std::string_view cursor);

/// Where a search goes on, and in which of its two modes.
struct SearchPlace {
    bool any = false; ///< no document has all words: those with any of them
    std::int64_t offset = 0;
};
std::string search_cursor(const SearchPlace&, std::string_view question);
std::optional<SearchPlace> read_search_cursor(std::string_view cursor, std::string_view question);

} // namespace knowledge
