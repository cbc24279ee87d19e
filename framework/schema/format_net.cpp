#include <algorithm>

#include "base/text.hpp"
#include "schema/format.hpp"

namespace foxwedge::schema::format {
namespace {

bool digit(char c) {
    return c >= '0' && c <= '9';
}
bool alpha(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool hex(char c) {
    return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// The characters of a part of a URI: unreserved, %XX, and `extra`.
bool made_of(std::string_view text, std::string_view extra) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            if (i + 2 >= text.size() || !hex(text[i + 1]) || !hex(text[i + 2])) return false;
            i += 2;
        } else if (!alpha(c) && !digit(c) &&
                   std::string_view("-._~").find(c) == std::string_view::npos &&
                   extra.find(c) == std::string_view::npos) {
            return false;
        }
    }
    return true;
}

constexpr std::string_view sub_delims = "!$&'()*+,;=";
constexpr std::string_view path_chars = "!$&'()*+,;=:@/";

bool authority(std::string_view text) {
    if (auto at = text.rfind('@'); at != std::string_view::npos) {
        if (!made_of(text.substr(0, at), "!$&'()*+,;=:")) return false;
        text.remove_prefix(at + 1);
    }
    if (text.starts_with('[')) {
        auto close = text.find(']');
        if (close == std::string_view::npos) return false;
        auto address = text.substr(1, close - 1);
        bool future = address.size() > 3 && address[0] == 'v' && made_of(address, "!$&'()*+,;=:");
        if (!future && !ipv6(address)) return false;
        text.remove_prefix(close + 1);
        if (!text.empty() && text[0] != ':') return false;
    } else {
        auto colon = text.find(':');
        if (!made_of(text.substr(0, colon), sub_delims)) return false;
        text = colon == std::string_view::npos ? std::string_view() : text.substr(colon);
    }
    return text.empty() || std::all_of(text.begin() + 1, text.end(), digit);
}

/// What stands behind the scheme, or a whole relative reference.
bool hierarchy(std::string_view text, bool relative) {
    auto cut = [&](char mark, std::string_view extra) {
        auto at = text.find(mark);
        if (at == std::string_view::npos) return true;
        auto part = text.substr(at + 1);
        text = text.substr(0, at);
        return made_of(part, extra);
    };
    if (!cut('#', "!$&'()*+,;=:@/?") || !cut('?', "!$&'()*+,;=:@/?")) return false;
    if (text.starts_with("//")) {
        auto slash = text.find('/', 2);
        if (!authority(text.substr(2, slash == std::string_view::npos ? slash : slash - 2)))
            return false;
        text = slash == std::string_view::npos ? std::string_view() : text.substr(slash);
    } else if (relative) {
        // A colon in the first segment would read as a scheme.
        if (text.substr(0, text.find('/')).find(':') != std::string_view::npos) return false;
    }
    return made_of(text, path_chars);
}

bool scheme(std::string_view text) {
    return !text.empty() && alpha(text[0]) && std::all_of(text.begin(), text.end(), [](char c) {
        return alpha(c) || digit(c) || c == '+' || c == '-' || c == '.';
    });
}

bool label(std::string_view text) {
    if (text.empty() || text.size() > 63 || text.front() == '-' || text.back() == '-') return false;
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return alpha(c) || digit(c) || c == '-'; });
}

bool local_part(std::string_view text) {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
        for (std::size_t i = 1; i + 1 < text.size(); ++i) {
            if (text[i] == '\\') {
                if (++i + 1 >= text.size()) return false;
            } else if (text[i] == '"' || static_cast<unsigned char>(text[i]) < 0x20) {
                return false;
            }
        }
        return true;
    }
    for (auto atom : split(text, '.')) {
        if (atom.empty()) return false;
        for (char c : atom)
            if (!alpha(c) && !digit(c) &&
                std::string_view("!#$%&'*+-/=?^_`{|}~").find(c) == std::string_view::npos)
                return false;
    }
    return true;
}

} // namespace

bool ipv4(std::string_view text) {
    auto parts = split(text, '.');
    return parts.size() == 4 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
               if (part.empty() || part.size() > 3 || (part.size() > 1 && part[0] == '0'))
                   return false;
               int value = 0;
               for (char c : part) {
                   if (!digit(c)) return false;
                   value = value * 10 + (c - '0');
               }
               return value <= 255;
           });
}

bool ipv6(std::string_view text) {
    auto gap = text.find("::");
    bool has_gap = gap != std::string_view::npos;
    if (has_gap && text.find("::", gap + 1) != std::string_view::npos) return false;
    std::size_t groups = 0;
    auto count = [&groups](std::string_view side, bool last) {
        if (side.empty()) return true;
        auto parts = split(side, ':');
        for (std::size_t i = 0; i < parts.size(); ++i) {
            auto part = parts[i];
            if (last && i + 1 == parts.size() && part.find('.') != std::string_view::npos) {
                if (!ipv4(part)) return false;
                groups += 2;
            } else {
                if (part.empty() || part.size() > 4 || !std::all_of(part.begin(), part.end(), hex))
                    return false;
                ++groups;
            }
        }
        return true;
    };
    if (!has_gap) return !text.empty() && count(text, true) && groups == 8;
    return count(text.substr(0, gap), false) && count(text.substr(gap + 2), true) && groups <= 7;
}

bool hostname(std::string_view text) {
    if (text.empty() || text.size() > 253) return false;
    for (auto part : split(text, '.')) {
        if (!label(part)) return false;
        // Two dashes there are kept for encodings; of those only Punycode exists.
        if (part.size() >= 4 && part[2] == '-' && part[3] == '-' &&
            (lower_ascii(part.substr(0, 2)) != "xn" || part.size() == 4))
            return false;
    }
    return true;
}

bool email(std::string_view text) {
    auto at = text.rfind('@');
    if (at == std::string_view::npos || at == 0 || !local_part(text.substr(0, at))) return false;
    auto domain = text.substr(at + 1);
    if (domain.size() > 2 && domain.front() == '[' && domain.back() == ']') {
        auto address = domain.substr(1, domain.size() - 2);
        if (lower_ascii(address.substr(0, 5)) == "ipv6:") return ipv6(address.substr(5));
        return ipv4(address);
    }
    return hostname(domain);
}

bool uri(std::string_view text) {
    auto colon = text.find(':');
    return colon != std::string_view::npos && scheme(text.substr(0, colon)) &&
           hierarchy(text.substr(colon + 1), false);
}

bool uri_reference(std::string_view text) {
    return uri(text) || hierarchy(text, true);
}

} // namespace foxwedge::schema::format
