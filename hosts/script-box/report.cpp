#include "report.hpp"

#include <cstdint>
#include <cstdio>

namespace script_box {
namespace {

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", byte);
            out += escape;
        } else {
            out += c;
        }
    }
    out += '"';
}

/// The first bytes of UTF-8 text, whole characters only.
std::string_view cut(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
    return text.substr(0, most);
}

} // namespace

std::string report(std::string_view code, std::string_view message, unsigned line,
                   unsigned column) {
    std::string out = "{\"code\":";
    append_quoted(out, code);
    out += ",\"message\":";
    append_quoted(out, cut(message, largest_message));
    if (line) out += ",\"line\":" + std::to_string(line);
    if (column) out += ",\"column\":" + std::to_string(column);
    return out + "}";
}

std::array<double, 4> seed_words(std::string_view seed) {
    std::array<double, 4> words{};
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::uint32_t hash = 0x811C9DC5u + static_cast<std::uint32_t>(i) * 0x9E3779B9u; // FNV-1a
        for (const char c : seed) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193u;
        words[i] = static_cast<double>(static_cast<std::int32_t>(hash));
    }
    return words;
}

} // namespace script_box
