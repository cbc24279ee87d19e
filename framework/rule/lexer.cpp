#include "rule/lexer.hpp"

#include "base/utf8.hpp"

namespace foxwedge::rule {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace

void Lexer::skip_blanks() {
    while (at_ < text_.size()) {
        char c = peek();
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
            ++at_;
        } else if (c == '/' && peek(1) == '/') {
            while (at_ < text_.size() && peek() != '\n') ++at_;
        } else {
            return;
        }
    }
}

Token Lexer::mistake(Token token, std::string reason) {
    token.kind = Token::Kind::mistake;
    token.text = std::move(reason);
    return token;
}

Token Lexer::next() {
    skip_blanks();
    Token token;
    token.offset = at_;
    if (at_ == text_.size()) return token;
    auto from = at_;
    auto take = [&](Token::Kind kind) {
        token.kind = kind;
        token.raw = text_.substr(from, at_ - from);
        return token;
    };
    if (at_string()) return string(token);
    if (is_letter(peek())) {
        while (is_letter(peek()) || is_digit(peek())) ++at_;
        return take(Token::Kind::identifier);
    }
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number(token);
    if (peek() == '`') {
        auto end = text_.find('`', at_ + 1);
        if (end == std::string_view::npos) return mistake(token, "a quoted name is not closed");
        token.kind = Token::Kind::quoted_identifier;
        token.raw = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return token;
    }
    for (std::string_view sign : {"&&", "||", "==", "!=", "<=", ">="})
        if (text_.substr(at_).starts_with(sign)) {
            at_ += 2;
            return take(Token::Kind::sign);
        }
    if (std::string_view("+-*/%!<>?:.,()[]{}").find(peek()) == std::string_view::npos)
        return mistake(token, "this character has no meaning here");
    ++at_;
    return take(Token::Kind::sign);
}

Token Lexer::number(Token token) {
    auto from = at_;
    token.kind = Token::Kind::integer;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') && is_hex(peek(2))) {
        at_ += 2;
        while (is_hex(peek())) ++at_;
    } else {
        while (is_digit(peek())) ++at_;
        if (peek() == '.' && is_digit(peek(1))) {
            token.kind = Token::Kind::real;
            ++at_;
            while (is_digit(peek())) ++at_;
        }
        bool signed_exponent = (peek(1) == '+' || peek(1) == '-') && is_digit(peek(2));
        if (lower(peek()) == 'e' && (is_digit(peek(1)) || signed_exponent)) {
            token.kind = Token::Kind::real;
            at_ += signed_exponent ? 2 : 1;
            while (is_digit(peek())) ++at_;
        }
    }
    token.raw = text_.substr(from, at_ - from);
    if (token.kind == Token::Kind::integer && lower(peek()) == 'u') {
        token.kind = Token::Kind::unsigned_;
        ++at_;
    }
    if (is_letter(peek())) return mistake(token, "a number runs into a name");
    return token;
}

bool Lexer::at_string() const {
    std::size_t ahead = 0;
    bool raw = false;
    bool bytes = false;
    for (; ahead < 2; ++ahead) {
        char c = lower(peek(ahead));
        if (c == 'r' && !raw)
            raw = true;
        else if (c == 'b' && !bytes)
            bytes = true;
        else
            break;
    }
    return peek(ahead) == '"' || peek(ahead) == '\'';
}

Token Lexer::string(Token token) {
    bool raw = false;
    token.kind = Token::Kind::string;
    for (; peek() != '"' && peek() != '\''; ++at_) {
        if (lower(peek()) == 'r')
            raw = true;
        else
            token.kind = Token::Kind::bytes;
    }
    std::string_view close = text_.substr(at_, 1);
    bool triple = text_.substr(at_, 3) == (close[0] == '"' ? "\"\"\"" : "'''");
    if (triple) close = text_.substr(at_, 3);
    at_ += close.size();
    while (true) {
        if (at_ >= text_.size()) return mistake(token, "a string is not closed");
        if (text_.substr(at_).starts_with(close)) break;
        char c = peek();
        if (!triple && (c == '\n' || c == '\r'))
            return mistake(token, "a string ends with its line; use three quotes");
        if (c == '\\' && !raw) {
            token.offset = at_;
            if (!escape(token.text, token.kind == Token::Kind::bytes))
                return mistake(token, "this escape does not exist");
        } else if (c == '\\') { // raw: it protects a quote, and stays
            token.text += c;
            if (++at_ < text_.size()) token.text += text_[at_++];
        } else {
            token.text += c;
            ++at_;
        }
    }
    at_ += close.size();
    return token;
}

bool Lexer::digits(std::size_t count, unsigned base, std::uint32_t& value) {
    value = 0;
    for (std::size_t i = 0; i < count; ++i, ++at_) {
        char c = lower(peek());
        unsigned digit = is_digit(c)            ? static_cast<unsigned>(c - '0')
                         : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
                                                : 99;
        if (digit >= base) return false;
        value = value * base + digit;
    }
    return true;
}

bool Lexer::escape(std::string& out, bool bytes) {
    constexpr std::string_view letters = "abfnrtv\\?\"'`";
    constexpr std::string_view meanings = "\a\b\f\n\r\t\v\\?\"'`";
    ++at_;
    char c = peek();
    std::uint32_t code = 0;
    if (auto found = letters.find(c); found != std::string_view::npos && c != '\0') {
        out += meanings[found];
        ++at_;
        return true;
    }
    bool byte = false;
    if (c == 'x' || c == 'X') {
        ++at_;
        if (!digits(2, 16, code)) return false;
        byte = true;
    } else if (c >= '0' && c <= '3') {
        if (!digits(3, 8, code)) return false;
        byte = true;
    } else if ((c == 'u' || c == 'U') && !bytes) {
        ++at_;
        if (!digits(c == 'u' ? 4 : 8, 16, code)) return false;
        if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    } else {
        return false;
    }
    if (byte && bytes)
        out += static_cast<char>(code);
    else
        utf8::append(out, code);
    return true;
}

} // namespace foxwedge::rule
