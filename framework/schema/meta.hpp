// The standard's meta-schemas, built in: a reference to one needs no network.
#pragma once
#include <span>
#include <string_view>

namespace foxwedge::schema {

struct BuiltIn {
    std::string_view uri; ///< without fragment
    std::string_view text;
};

std::span<const BuiltIn> meta_2020_12();
std::span<const BuiltIn> meta_2019_09();
std::span<const BuiltIn> meta_older(); ///< draft-07, -06, -04

/// The text at `uri` (without fragment), or nothing.
inline std::string_view built_in(std::string_view uri) {
    for (auto documents : {meta_2020_12(), meta_2019_09(), meta_older()})
        for (const auto& document : documents)
            if (document.uri == uri) return document.text;
    return {};
}

} // namespace foxwedge::schema
