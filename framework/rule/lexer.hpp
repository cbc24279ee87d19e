// CEL's tokens.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace foxwedge::rule {

struct Token {
    enum class Kind : std::uint8_t {
        end,
        identifier,
        quoted_identifier, ///< `a.b`
        integer,
        unsigned_,
        real,
        string,
        bytes,
        sign, ///< operators and brackets
        mistake,
    } kind = Kind::end;
    std::string_view raw; ///< as it stands; of an identifier the name
    std::string text;     ///< of strings and bytes; of a mistake the reason
    std::size_t offset = 0;

    bool is(std::string_view sign) const { return kind == Kind::sign && raw == sign; }
    bool is_word(std::string_view word) const { return kind == Kind::identifier && raw == word; }
};

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}
    Token next();

private:
    void skip_blanks();
    Token number(Token);
    bool at_string() const;
    Token string(Token);
    Token mistake(Token, std::string reason);
    /// Appends what the escape at the cursor means; false if there is no such escape.
    bool escape(std::string& out, bool bytes);
    bool digits(std::size_t count, unsigned base, std::uint32_t& value);
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace foxwedge::rule
