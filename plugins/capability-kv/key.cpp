#include "key.hpp"

#include <cstdlib>
#include <new>

#include <utf8proc.h>

namespace kv {

std::optional<std::string> normal_form(std::string_view text) {
    utf8proc_uint8_t* made = nullptr;
    const auto size =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                     static_cast<utf8proc_ssize_t>(text.size()), &made,
                     static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    if (size == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc();
    if (size < 0) return std::nullopt;
    std::string out(reinterpret_cast<const char*>(made), static_cast<std::size_t>(size));
    std::free(made);
    return out;
}

static bool starts_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

std::size_t code_points(std::string_view text) {
    std::size_t n = 0;
    for (const char c : text) n += starts_character(c);
    return n;
}

std::string_view first_code_points(std::string_view text, std::size_t most) {
    std::size_t at = 0;
    for (; at < text.size(); ++at)
        if (starts_character(text[at]) && most-- == 0) break;
    return text.substr(0, at);
}

bool is_reserved(std::string_view key, bool conversation) {
    const auto below = [&](std::string_view prefix) {
        return key.substr(0, prefix.size()) == prefix;
    };
    return key == "tokenUsage.total" || below("tokenUsage.entry.") ||
           (conversation && (key == "conversation.state" || below("agent.")));
}

} // namespace kv
