#pragma once

#include <string_view>

#include "base/json.hpp"

namespace foxwedge {

inline Json parsed(std::string_view text) {
    return *parse_json(text);
}

} // namespace foxwedge
