// How many tokens a text will be, before a provider has counted it. Pure and deterministic.
#pragma once
#include <cstdint>
#include <string_view>

#include "contracts/provider.hpp"

namespace foxwedge::agent {

/// For text of any script: words, digits and punctuation as byte-pair tokenizers split them, CJK by
/// the character, emoji by the picture.
std::int64_t estimated_tokens(std::string_view text);
std::int64_t estimated_tokens(const Block&);
std::int64_t estimated_tokens(const Message&);
/// System text, tools and messages.
std::int64_t estimated_tokens(const GenerateRequest&);

/// For an answer whose provider reported no usage; marked as estimated.
Usage estimated_usage(const GenerateRequest&, const Generated&);

} // namespace foxwedge::agent
