// The part of a text that shows what was found in it. FTS5 has such a function, which looks for
// every word of the question in its index again, for each text.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "query.hpp"
#include "tokenizer.hpp"

namespace knowledge {

/// The terms of one question, which outlive it, and their tokenizer.
class Snippets {
public:
    Snippets(const std::vector<Term>&, const Tokenizer&);

    /// About 32 words around the place with the most of the terms, with an ellipsis where something
    /// is left out; the beginning if none is there.
    std::string of(std::string_view text) const;

private:
    struct Word {
        std::size_t from, to; ///< bytes
    };
    struct Hit {
        std::size_t word, term;
    };
    /// The first and the last hit of the best place.
    std::pair<std::size_t, std::size_t> best_of(const std::vector<Hit>&) const;

    const Tokenizer& tokenizer_;
    std::unordered_map<std::string_view, std::size_t> terms_;
};

} // namespace knowledge
