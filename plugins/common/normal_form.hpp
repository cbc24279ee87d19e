// Unicode normal form C: keys and ids that look the same are the same.
#pragma once
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include <utf8proc.h>

namespace capability_kit {

/// Nothing if the text is no UTF-8.
inline std::optional<std::string> normal_form(std::string_view text) {
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

} // namespace capability_kit
