#include "query.hpp"

#include <algorithm>

namespace knowledge {

namespace {

constexpr std::size_t most_words = 32;

bool is_in_word(std::int32_t code_point) {
    switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
    case UTF8PROC_CATEGORY_CO:
        return true;
    default:
        return is_unspaced(code_point);
    }
}

class Words {
public:
    void take(std::string_view text) {
        each_run(text, [&](std::size_t from, std::size_t to, bool unspaced) {
            const auto run = text.substr(from, to - from);
            if (unspaced)
                add_pairs(run);
            else
                add(run);
        });
    }
    std::vector<std::string> words;

private:
    void add_pairs(std::string_view run) {
        std::size_t at = 0, next = character_at(run, 0).size;
        if (next == run.size()) return add(run);
        while (next < run.size()) {
            const auto size = character_at(run, next).size;
            add(run.substr(at, next + size - at));
            at = next;
            next += size;
        }
    }

    void add(std::string_view word) {
        if (words.size() < most_words && std::find(words.begin(), words.end(), word) == words.end())
            words.emplace_back(word);
    }
};

} // namespace

std::vector<std::string> words_of(std::string_view question) {
    Words out;
    std::size_t from = 0, at = 0;
    const auto end_word = [&] {
        if (at > from) out.take(question.substr(from, at - from));
    };
    while (at < question.size()) {
        const auto [code_point, size] = character_at(question, at);
        if (!is_in_word(code_point)) {
            end_word();
            from = at + size;
        }
        at += size;
    }
    end_word();
    return std::move(out.words);
}

std::vector<Term> terms_of(const std::vector<std::string>& words, const Tokenizer& tokenizer) {
    std::vector<Term> terms;
    const auto add = [&](std::string_view token, std::string_view asked) {
        for (const auto& known : terms)
            if (known.token == token) return;
        terms.push_back({std::string(token), '"' + std::string(asked) + '"'});
    };
    for (const std::string_view word : words) {
        if (is_unspaced(character_at(word, 0).code_point)) {
            add(word, word);
            continue;
        }
        tokenizer.each(word, Tokenizer::Text::question, [&](const Tokenizer::Token& token) {
            add(token.text, word.substr(token.from, token.to - token.from));
        });
    }
    return terms;
}

} // namespace knowledge
