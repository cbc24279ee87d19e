#include "snippet.hpp"

#include <algorithm>

namespace knowledge {

namespace {

constexpr std::size_t shown_words = 32;
constexpr std::string_view ellipsis = "…";

} // namespace

Snippets::Snippets(const std::vector<Term>& terms, const Tokenizer& tokenizer)
    : tokenizer_(tokenizer) {
    for (const auto& term : terms) terms_.emplace(term.token, terms_.size());
}

std::string Snippets::of(std::string_view text) const {
    std::vector<Word> words;
    std::vector<Hit> hits;
    tokenizer_.each(text, Tokenizer::Text::document, [&](const Tokenizer::Token& token) {
        if (!token.beside) words.push_back({token.from, token.to});
        if (const auto term = terms_.find(token.text); term != terms_.end())
            hits.push_back({words.size() - 1, term->second});
    });
    std::size_t begin = 0;
    if (!hits.empty()) {
        const auto [first, last] = best_of(hits);
        // What was found stands in the middle.
        const auto around = (shown_words - (hits[last].word - hits[first].word + 1)) / 2;
        begin = hits[first].word - std::min(around, hits[first].word);
        begin = std::min(begin, words.size() - std::min(shown_words, words.size()));
    }
    const auto end = std::min(begin + shown_words, words.size());
    std::string out(begin > 0 ? ellipsis : "");
    const auto from = begin > 0 ? words[begin].from : 0;
    const auto to = end < words.size() ? words[end - 1].to : text.size();
    out += text.substr(from, to - from);
    if (end < words.size()) out += ellipsis;
    return out;
}

std::pair<std::size_t, std::size_t> Snippets::best_of(const std::vector<Hit>& hits) const {
    std::vector<std::size_t> often(terms_.size()); // of each term, from `first` to `last`
    std::size_t distinct = 0, most = 0, last = 0;
    std::pair<std::size_t, std::size_t> best{0, 0};
    for (std::size_t first = 0; first < hits.size(); ++first) {
        for (; last < hits.size() && hits[last].word < hits[first].word + shown_words; ++last)
            distinct += often[hits[last].term]++ == 0;
        // Terms that are there count before how often they are.
        const auto score = distinct * (shown_words + 1) + std::min(last - first, shown_words);
        if (score > most) {
            most = score;
            best = {first, last - 1};
        }
        distinct -= --often[hits[first].term] == 0;
    }
    return best;
}

} // namespace knowledge
