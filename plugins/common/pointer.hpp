// JSON pointers (RFC 6901) whose tokens come from outside.
#pragma once
#include <string>
#include <string_view>

namespace plugin_kit {

/// A token as it stands in a pointer, without the slash before it.
inline std::string escaped(std::string_view token) {
    std::string out;
    for (const char c : token) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
    return out;
}

} // namespace plugin_kit
