// References and the URIs that they mean (RFC 3986, section 5). Names only: nothing is fetched.
#pragma once
#include <string>
#include <string_view>

namespace foxwedge::schema {

/// `reference` seen from `base` (which may be empty), with its fragment.
std::string resolved(std::string_view base, std::string_view reference);

struct SplitUri {
    std::string_view document;
    std::string_view fragment; ///< without "#"
};
SplitUri split_fragment(std::string_view uri);

/// `text` with its %XX undone.
std::string percent_decoded(std::string_view text);

} // namespace foxwedge::schema
