// What a guardrail is shown: which part of the subject passes by, and the texts in it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include <foxwedge/guardrail.h>
#include <foxwedge/json.hpp>

#include "pointer.hpp"

namespace guardrail_kit {

using foxwedge::plugin::Value;

constexpr std::uint32_t every_placement =
    FOXWEDGE_PLACEMENT_INPUT | FOXWEDGE_PLACEMENT_TOOL_ARGS | FOXWEDGE_PLACEMENT_TOOL_RESULT |
    FOXWEDGE_PLACEMENT_OUTPUT | FOXWEDGE_PLACEMENT_TOOL_DEFINITION;

/// The member of the subject that passes by, and that a replacement takes the place of.
inline std::string_view passing(std::uint32_t placement) {
    switch (placement) {
    case FOXWEDGE_PLACEMENT_INPUT:
        return "prompt";
    case FOXWEDGE_PLACEMENT_TOOL_ARGS:
        return "arguments";
    case FOXWEDGE_PLACEMENT_TOOL_RESULT:
        return "result";
    case FOXWEDGE_PLACEMENT_OUTPUT:
        return "content";
    case FOXWEDGE_PLACEMENT_TOOL_DEFINITION:
        return "tool";
    default:
        return {};
    }
}

/// `pointer` with one more token.
inline std::string below(const std::string& pointer, std::string_view token) {
    return pointer + '/' + plugin_kit::escaped(token);
}

/// `visit(text, pointer)` for every text in `value`, names of members too (with the pointer of the
/// member and `true`). Pictures and sound are no texts. `visit` may change a text.
template <class V, class Visit>
void texts(V& value, const std::string& pointer, Visit&& visit) {
    if (value.is_array()) {
        std::size_t n = 0;
        for (auto& element : value.array())
            texts(element, below(pointer, std::to_string(n++)), visit);
    } else if (value.is_object()) {
        const auto type = std::string(value.string("type"));
        const bool picture = (type == "image" || type == "audio") && value.has("mimeType");
        for (auto& member : value.object()) {
            const auto here = below(pointer, member.key);
            visit(member.key, here, true);
            if (picture && member.key == "data") continue;
            if (member.value.is_string())
                visit(member.value, here, false);
            else
                texts(member.value, here, visit);
        }
    } else if (value.is_string()) {
        visit(value, pointer, false);
    }
}

} // namespace guardrail_kit
