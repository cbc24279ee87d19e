// foxwedge/json_text.hpp: how json.hpp reads and writes; include that one.
#pragma once
#include <cfloat>
#include <charconv>
#include <cstdlib>

#include "json.hpp"

namespace foxwedge::plugin {

namespace detail {

/// The bytes of the well-formed UTF-8 character at the start of `s`; 0 if there is none.
inline std::size_t utf8_length(std::string_view s) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
    if (s.empty()) return 0;
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || s.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    const unsigned second = byte(1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool surrogate = first == 0xED && second > 0x9F;
    const bool too_large = first == 0xF4 && second > 0x8F;
    return overlong || surrogate || too_large ? 0 : size;
}

inline void append_utf8(std::string& out, std::uint32_t c) {
    const auto add = [&](std::uint32_t b) { out += static_cast<char>(b); };
    if (c < 0x80) return add(c);
    if (c < 0x800)
        add(0xC0 | c >> 6);
    else if (c < 0x10000)
        add(0xE0 | c >> 12), add(0x80 | (c >> 6 & 0x3F));
    else
        add(0xF0 | c >> 18), add(0x80 | (c >> 12 & 0x3F)), add(0x80 | (c >> 6 & 0x3F));
    add(0x80 | (c & 0x3F));
}

class JsonReader {
public:
    JsonReader(std::string_view text, unsigned depth) : text_(text), depth_(depth) {}

    Value read() {
        Value value = any();
        blanks();
        if (at_ != text_.size()) fail("expected the end of the text");
        return value;
    }

private:
    [[noreturn]] void fail(const char* what) const {
        throw JsonError("at byte " + std::to_string(at_) + ": " + what);
    }
    char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) noexcept {
        if (peek() != c || at_ >= text_.size()) return false;
        ++at_;
        return true;
    }
    void blanks() noexcept {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' ||
                                      text_[at_] == '\r' || text_[at_] == '\t'))
            ++at_;
    }
    Value word(std::string_view expected, Value value) {
        if (text_.substr(at_, expected.size()) != expected) fail("expected a value");
        at_ += expected.size();
        return value;
    }

    Value any() {
        blanks();
        switch (peek()) {
        case '{':
            return nested(&JsonReader::members);
        case '[':
            return nested(&JsonReader::elements);
        case '"':
            return Value(text());
        case 't':
            return word("true", true);
        case 'f':
            return word("false", false);
        case 'n':
            return word("null", nullptr);
        default:
            return number();
        }
    }
    Value nested(Value (JsonReader::*content)()) {
        if (depth_ == 0) fail("nested too deep");
        --depth_;
        ++at_;
        Value value = (this->*content)();
        ++depth_;
        return value;
    }
    Value members() {
        Object object;
        blanks();
        if (take('}')) return object;
        do {
            blanks();
            if (peek() != '"') fail("expected the name of a member");
            std::string key = text();
            blanks();
            if (!take(':')) fail("expected ':'");
            object.push_back({std::move(key), any()});
            blanks();
        } while (take(','));
        if (!take('}')) fail("expected ',' or '}'");
        return object;
    }
    Value elements() {
        Array array;
        blanks();
        if (take(']')) return array;
        do {
            array.push_back(any());
            blanks();
        } while (take(','));
        if (!take(']')) fail("expected ',' or ']'");
        return array;
    }

    std::string text() {
        std::string out;
        for (++at_;;) {
            const std::size_t from = at_;
            while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
                   static_cast<unsigned char>(text_[at_]) >= 0x20)
                ++at_;
            out.append(text_, from, at_ - from);
            if (take('"')) return out;
            if (!take('\\')) fail("a string without its end, or with a bare control character");
            escape(out);
        }
    }
    void escape(std::string& out) {
        constexpr std::string_view names = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
        const char c = peek();
        if (const auto i = names.find(c); c != '\0' && i != names.npos) {
            ++at_;
            out += values[i];
            return;
        }
        if (!take('u')) fail("an unknown escape");
        std::uint32_t unit = hex();
        if (unit >= 0xD800 && unit < 0xDC00 && text_.substr(at_, 2) == "\\u") {
            const std::size_t back = at_;
            at_ += 2;
            const std::uint32_t low = hex();
            if (low >= 0xDC00 && low < 0xE000)
                unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            else
                at_ = back; // a half pair; what follows is a character of its own
        }
        append_utf8(out, unit >= 0xD800 && unit < 0xE000 ? 0xFFFD : unit);
    }
    std::uint32_t hex() {
        std::uint32_t unit = 0;
        const auto digits = text_.substr(at_, 4);
        const auto end = digits.data() + digits.size();
        const auto [stop, error] = std::from_chars(digits.data(), end, unit, 16);
        if (digits.size() != 4 || stop != end || error != std::errc{})
            fail("expected four hexadecimal digits");
        at_ += 4;
        return unit;
    }

    bool digits() noexcept {
        const std::size_t from = at_;
        while (peek() >= '0' && peek() <= '9') ++at_;
        return at_ != from;
    }
    Value number() {
        const std::size_t from = at_;
        const bool negative = take('-');
        bool whole = true;
        if (take('0')) {
        } else if (!digits())
            fail("expected a value");
        if (take('.')) {
            whole = false;
            if (!digits()) fail("expected a digit");
        }
        if (take('e') || take('E')) {
            whole = false;
            if (!take('+')) take('-');
            if (!digits()) fail("expected a digit");
        }
        const char *begin = text_.data() + from, *end = text_.data() + at_;
        if (std::int64_t n; whole && std::from_chars(begin, end, n).ec == std::errc{} &&
                            !(n == 0 && negative)) // -0 is a double
            return n;
        if (std::uint64_t n; whole && std::from_chars(begin, end, n).ec == std::errc{}) return n;
        double n = 0;
        // Too small is 0; too large is no number.
        if (std::from_chars(begin, end, n).ec != std::errc{}) {
            n = std::strtod(std::string(begin, end).c_str(), nullptr);
            if (std::fabs(n) > DBL_MAX) fail("a number out of range");
        }
        return n;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    unsigned depth_;
};

} // namespace detail

inline Value Value::parse(std::string_view text, unsigned depth) {
    return detail::JsonReader(text, depth).read();
}

inline void append_quoted(std::string& out, std::string_view text) {
    constexpr std::string_view names = "btn.fr"; // of the characters 8 to 13; 11 has none
    constexpr char hex[] = "0123456789abcdef";
    out += '"';
    for (std::size_t at = 0; at < text.size();) {
        std::size_t plain = at;
        while (plain < text.size() && text[plain] >= 0x20 && text[plain] < 0x7F &&
               text[plain] != '"' && text[plain] != '\\')
            ++plain;
        out.append(text, at, plain - at);
        at = plain;
        if (at == text.size()) break;
        const auto c = static_cast<unsigned char>(text[at]);
        if (c == '"' || c == '\\') {
            (out += '\\') += text[at];
        } else if (c >= 8 && c <= 13 && c != 11) {
            (out += '\\') += names[c - 8u];
        } else if (c < 0x20) {
            ((out += "\\u00") += hex[c >> 4]) += hex[c & 15];
        } else if (const auto size = detail::utf8_length(text.substr(at))) {
            out.append(text, at, size);
            at += size;
            continue;
        } else {
            out += "\xEF\xBF\xBD";
        }
        ++at;
    }
    out += '"';
}

inline void append_text(std::string& out, const Value& value) {
    const auto digits = [&](auto n) {
        char buffer[32];
        out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, n).ptr);
    };
    const char* separator = "";
    if (const auto* b = std::get_if<bool>(&value.data_)) {
        out += *b ? "true" : "false";
    } else if (const auto* i = std::get_if<std::int64_t>(&value.data_)) {
        digits(*i);
    } else if (const auto* u = std::get_if<std::uint64_t>(&value.data_)) {
        digits(*u);
    } else if (const auto* d = std::get_if<double>(&value.data_); d && std::isfinite(*d)) {
        digits(*d);
    } else if (const auto* s = std::get_if<std::string>(&value.data_)) {
        append_quoted(out, *s);
    } else if (const auto* elements = std::get_if<Array>(&value.data_)) {
        out += '[';
        for (const Value& element : *elements) {
            out += std::exchange(separator, ",");
            append_text(out, element);
        }
        out += ']';
    } else if (const auto* members = std::get_if<Object>(&value.data_)) {
        out += '{';
        for (const Member& member : *members) {
            out += std::exchange(separator, ",");
            append_quoted(out, member.key);
            out += ':';
            append_text(out, member.value);
        }
        out += '}';
    } else {
        out += "null";
    }
}

} // namespace foxwedge::plugin
