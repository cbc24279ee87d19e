// What a person or model asks, as phrases of FTS5. Nothing of the question is taken for syntax.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace knowledge {

/// A question's words, each once and ready for FTS5, at most 32. A run of characters without spaces
/// is one phrase; `in_pairs` takes it apart, for a second try.
std::vector<std::string> phrases_of(std::string_view question, bool in_pairs);

enum class Joined { all, any };
std::string expression_of(const std::vector<std::string>& phrases, Joined);

} // namespace knowledge
