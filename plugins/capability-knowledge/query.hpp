// What a person or model asks, as words to search for. Nothing of the question is taken for syntax.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer.hpp"

namespace knowledge {

/// A question's words, each once, at most 32. Of characters without spaces between words each pair
/// of neighbours is one, or a single character that stands alone.
std::vector<std::string> words_of(std::string_view question);

/// A word as the index knows it, and as FTS5 is asked for it.
struct Term {
    std::string token, quoted;
};
/// The terms of those words, each once.
std::vector<Term> terms_of(const std::vector<std::string>& words, const Tokenizer&);

/// Whether a document must have all terms of a question, or any.
enum class Joined { all, any };

} // namespace knowledge
