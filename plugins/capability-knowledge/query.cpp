#include "query.hpp"

#include <algorithm>

#include "tokenizer.hpp"

namespace knowledge {

namespace {

constexpr std::size_t most_phrases = 32;

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

class Phrases {
public:
    explicit Phrases(bool in_pairs) : in_pairs_(in_pairs) {}

    void add_word(std::string_view word) {
        if (!in_pairs_) return add(word);
        each_run(word, [&](std::size_t from, std::size_t to, bool unspaced) {
            const auto run = word.substr(from, to - from);
            if (unspaced)
                add_pairs(run);
            else
                add(run);
        });
    }
    std::vector<std::string> take() { return std::move(phrases_); }

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

    void add(std::string_view phrase) {
        auto quoted = '"' + std::string(phrase) + '"';
        if (phrases_.size() < most_phrases &&
            std::find(phrases_.begin(), phrases_.end(), quoted) == phrases_.end())
            phrases_.push_back(std::move(quoted));
    }

    bool in_pairs_;
    std::vector<std::string> phrases_;
};

} // namespace

std::vector<std::string> phrases_of(std::string_view question, bool in_pairs) {
    Phrases phrases(in_pairs);
    std::size_t from = 0, at = 0;
    const auto end_word = [&] {
        if (at > from) phrases.add_word(question.substr(from, at - from));
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
    return phrases.take();
}

std::string expression_of(const std::vector<std::string>& phrases, Joined joined) {
    std::string out;
    for (const auto& phrase : phrases) {
        if (!out.empty()) out += joined == Joined::all ? " AND " : " OR ";
        out += phrase;
    }
    return out;
}

} // namespace knowledge
