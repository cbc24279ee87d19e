// Texts as the ABI has them, and as we have them.
#pragma once
#include <string_view>

#include <foxwedge/abi.h>

#include "base/json.hpp" // its view() and this one are one set of overloads

namespace foxwedge::plugin {

using foxwedge::view;

inline std::string_view view(foxwedge_str s) {
    return {s.data, s.size};
}
inline foxwedge_str str(std::string_view s) {
    return {s.data(), s.size()};
}

} // namespace foxwedge::plugin
