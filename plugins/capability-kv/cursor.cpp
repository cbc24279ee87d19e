#include "cursor.hpp"

#include <cstdint>

namespace kv {

namespace {

constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view prefix = "list:";

std::string encode(std::string_view bytes) {
    std::string out;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : bytes) {
        bits = bits << 8 | static_cast<unsigned char>(c);
        for (count += 8; count >= 6; count -= 6) out += letters[bits >> (count - 6) & 63];
    }
    if (count > 0) out += letters[bits << (6 - count) & 63];
    return out;
}

std::optional<std::string> decode(std::string_view text) {
    std::string out;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const auto value = letters.find(c);
        if (value == std::string_view::npos) return std::nullopt;
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        if ((count += 6) >= 8) out += static_cast<char>(bits >> (count -= 8) & 255);
    }
    return out;
}

} // namespace

std::string make_cursor(bool conversation, std::string_view last_key) {
    std::string bytes(1, conversation ? 'c' : 'p');
    return std::string(prefix) + encode(bytes.append(last_key));
}

std::optional<std::string> read_cursor(bool conversation, std::string_view cursor) {
    if (cursor.substr(0, prefix.size()) != prefix) return std::nullopt;
    auto bytes = decode(cursor.substr(prefix.size()));
    // Made again and compared: only what make_cursor gives is taken.
    if (!bytes || bytes->size() < 2 || make_cursor(conversation, bytes->substr(1)) != cursor)
        return std::nullopt;
    return bytes->substr(1);
}

} // namespace kv
