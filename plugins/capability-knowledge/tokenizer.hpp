// How texts become searchable words, as an FTS5 tokenizer: words of scripts that separate them with
// spaces go through SQLite's own stemmer with accents removed; Chinese, Japanese and Korean, which
// do not, become pairs of neighbouring characters.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>

#include "sqlite.hpp"

namespace knowledge {

inline constexpr std::string_view tokenizer_name = "foxwedge";

/// FTS5's interface of a connection.
fts5_api* fts5_of(Database&);

/// Makes the tokenizer known to a connection.
void add_tokenizer(Database&);

/// The same tokenizer by itself.
class Tokenizer {
public:
    enum class Text { document, question };
    struct Token {
        std::string_view text;
        std::size_t from, to; ///< what it stands for; bytes
        bool beside;          ///< a further one at the place of the token before
    };

    explicit Tokenizer(Database&);
    /// Calls `take(const Token&)` for each token.
    template <class Take>
    void each(std::string_view text, Text how, Take&& take) const {
        each_token(text, how, &take, [](void* taker, const Token& token) {
            (*static_cast<std::remove_reference_t<Take>*>(taker))(token);
        });
    }

private:
    void each_token(std::string_view, Text, void* taker, void (*take)(void*, const Token&)) const;
    struct Delete {
        void operator()(Fts5Tokenizer*) const;
    };
    std::unique_ptr<Fts5Tokenizer, Delete> made_;
};

/// A character of a script without spaces between its words.
bool is_unspaced(std::int32_t code_point);

/// Calls `take(from, to, unspaced)` for each longest part of `text` whose characters are all of one
/// sort; byte offsets.
template <class Take>
void each_run(std::string_view text, Take&& take);

} // namespace knowledge

#include "tokenizer_runs.hpp"
