#include "cursor.hpp"

#include <charconv>

#include "common/hash.hpp"

namespace knowledge {

namespace {

constexpr std::string_view lists = "list:", searches = "search:";

std::optional<std::int64_t> number(std::string_view digits) {
    std::int64_t value = 0;
    const auto end = digits.data() + digits.size();
    const auto [at, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{} || at != end || value < 0) return std::nullopt;
    return value;
}

} // namespace

std::string list_cursor(std::int64_t revision) {
    return std::string(lists) + std::to_string(revision);
}

std::optional<std::int64_t> read_list_cursor(std::string_view cursor) {
    if (cursor.substr(0, lists.size()) != lists) return std::nullopt;
    return number(cursor.substr(lists.size()));
}

std::string search_cursor(const SearchPlace& place, std::string_view question) {
    return std::string(searches) + (place.any ? "o" : "a") + std::to_string(place.offset) + '.' +
           capability_kit::hash_text(question);
}

std::optional<SearchPlace> read_search_cursor(std::string_view cursor, std::string_view question) {
    if (cursor.substr(0, searches.size()) != searches) return std::nullopt;
    const auto rest = cursor.substr(searches.size());
    const auto dot = rest.find('.');
    if (rest.empty() || dot == std::string_view::npos) return std::nullopt;
    const auto offset = number(rest.substr(1, dot - 1));
    if (!offset) return std::nullopt;
    const SearchPlace place{rest.front() == 'o', *offset};
    // Made again and compared: only what search_cursor gives is taken.
    if (search_cursor(place, question) != cursor) return std::nullopt;
    return place;
}

} // namespace knowledge
