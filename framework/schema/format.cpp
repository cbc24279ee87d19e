#include "schema/format.hpp"

#include <algorithm>
#include <array>

#include "base/pattern.hpp"

namespace foxwedge::schema {
namespace {

constexpr std::array formats{
    Format{"date-time", format::date_time, "2026-11-29T22:50:00Z"},
    Format{"date", format::date, "2026-11-29"},
    Format{"time", format::time, "22:50:00Z"},
    Format{"duration", format::duration, "P3DT4H"},
    Format{"email", format::email, "ann@example.com"},
    Format{"hostname", format::hostname, "www.example.com"},
    Format{"ipv4", format::ipv4, "192.0.2.1"},
    Format{"ipv6", format::ipv6, "2001:db8::1"},
    Format{"uri", format::uri, "https://example.com/a"},
    Format{"uri-reference", format::uri_reference, "/a?b"},
    Format{"uuid", format::uuid, "2eb8aa08-aa98-11ea-b4aa-73b441d16380"},
    Format{"regex", is_ecma_pattern, "^a+$"},
    Format{"json-pointer", format::json_pointer, "/a/0"},
    Format{"relative-json-pointer", format::relative_json_pointer, "1/a"},
};

bool digit(char c) {
    return c >= '0' && c <= '9';
}
bool hex(char c) {
    return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

} // namespace

const Format* format_of(std::string_view name) {
    auto found = std::find_if(formats.begin(), formats.end(),
                              [&](const Format& format) { return format.name == name; });
    return found == formats.end() ? nullptr : &*found;
}

namespace format {

bool uuid(std::string_view text) {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !hex(text[i])) return false;
    }
    return true;
}

bool json_pointer(std::string_view text) {
    if (!text.empty() && text[0] != '/') return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '~' && (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1')))
            return false;
    return true;
}

bool relative_json_pointer(std::string_view text) {
    std::size_t digits = 0;
    while (digits < text.size() && digit(text[digits])) ++digits;
    if (digits == 0 || (digits > 1 && text[0] == '0')) return false;
    auto rest = text.substr(digits);
    return rest == "#" || json_pointer(rest);
}

} // namespace format
} // namespace foxwedge::schema
