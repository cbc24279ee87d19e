#include "base/pattern_translate.hpp"

#include <set>

#include "base/utf8.hpp"

namespace foxwedge::ecma {
namespace {

/// RE2's own limit; larger counts are tried as nothing else.
constexpr std::size_t most_groups = 250;
constexpr std::uint32_t most_repeats = 1000;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// One member of a class, or one escape: a code point, or a set written out.
struct Atom {
    bool is_set = false;
    std::uint32_t code = 0;
    std::string set;                            ///< for inside brackets
    const std::vector<Range>* ranges = nullptr; ///< the same, unless it is a property
};

class Translator {
public:
    explicit Translator(std::string_view pattern) : pattern_(pattern) {}

    Translation run() {
        while (at_ < pattern_.size() && step()) {
        }
        if (going_ && !groups_.empty()) invalid("a group is not closed");
        if (going_ && references_.find("") != references_.end() && !named_)
            invalid("\\k names no group");
        if (going_ && unsupported_ != nullptr) {
            result_.verdict = Verdict::unsupported;
            result_.reason = unsupported_;
        }
        return std::move(result_);
    }

private:
    bool invalid(const char* reason, Verdict verdict = Verdict::invalid) {
        going_ = false;
        result_.verdict = verdict;
        result_.reason = reason;
        result_.offset = at_;
        return false;
    }
    /// Goes on reading: a mistake further on is still a mistake.
    void unsupported(const char* reason) {
        if (!unsupported_) {
            unsupported_ = reason;
            result_.offset = at_;
        }
    }

    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
    }
    bool take(std::string_view expected) {
        if (!pattern_.substr(at_).starts_with(expected)) return false;
        at_ += expected.size();
        return true;
    }
    std::string& out() { return result_.re2; }
    Sequence& sequence() { return result_.sequence; }
    void complicated() { sequence().simple = false; }
    void item(std::vector<Range> set) {
        if (sequence().to_end) complicated();
        if (sequence().simple) sequence().items.push_back({std::move(set), 1, 1});
    }

    bool step() {
        switch (peek()) {
        case '^':
            ++at_;
            out() += "\\A";
            if (sequence().to_end || !sequence().items.empty()) complicated();
            sequence().from_start = true;
            return true;
        case '$':
            ++at_;
            out() += "\\z";
            sequence().to_end = true;
            return true;
        case '|':
            ++at_;
            out() += '|';
            complicated();
            return true;
        case '(':
            return open();
        case ')':
            return close();
        case '*':
        case '+':
        case '?':
            return invalid("there is nothing to repeat here");
        case '.':
            ++at_;
            out() += "[^\\n\\r\\x{2028}\\x{2029}]";
            item({{0, 0x09}, {0x0b, 0x0c}, {0x0e, 0x2027}, {0x202a, last_code_point}});
            return quantifier();
        case '[':
            return bracket() && quantifier();
        case '\\':
            return escape();
        case '{': {
            // As a browser without the u flag: a brace that counts nothing is itself.
            auto before = at_;
            std::uint32_t least = 0;
            std::uint32_t most = 0;
            bool open_end = false;
            if (counts(least, most, open_end)) return invalid("there is nothing to repeat here");
            at_ = before;
            return literal();
        }
        default:
            return literal();
        }
    }

    bool next_code(std::uint32_t& code) {
        auto length = utf8::sequence(pattern_.data() + at_, pattern_.data() + pattern_.size());
        if (length == 0) return invalid("the pattern is no valid UTF-8");
        code = utf8::decode(pattern_.data() + at_, length);
        at_ += length;
        return true;
    }

    bool literal() {
        std::uint32_t code = 0;
        if (!next_code(code)) return false;
        append_code_point(out(), code);
        item({{code, code}});
        return quantifier();
    }

    bool open() {
        if (groups_.size() >= most_groups)
            return invalid("groups nest too deeply", Verdict::too_complex);
        ++at_;
        bool assertion = false;
        if (take("?=") || take("?!") || take("?<=") || take("?<!")) {
            unsupported("look-around needs backtracking");
            assertion = true;
        } else if (take("?<")) {
            if (!group_name()) return false;
        } else if (peek() == '?' && !take("?:")) {
            return invalid("this kind of group does not exist");
        }
        groups_.push_back(assertion);
        complicated();
        // Nothing reads what groups capture, and RE2 is faster without.
        out() += "(?:";
        return true;
    }

    bool group_name() {
        auto end = pattern_.find('>', at_);
        if (end == std::string_view::npos || end == at_)
            return invalid("a group's name is not whole");
        auto name = pattern_.substr(at_, end - at_);
        if (is_digit(name[0]) || name.find_first_of(" -+*?()[]{}|^.,;:!\"'<\\/") != name.npos)
            return invalid("this is no name for a group");
        if (!names_.insert(std::string(name)).second)
            return invalid("two groups have the same name");
        named_ = true;
        at_ = end + 1;
        return true;
    }

    bool close() {
        if (groups_.empty()) return invalid("\")\" closes no group");
        bool assertion = groups_.back();
        groups_.pop_back();
        ++at_;
        out() += ')';
        if (assertion && (peek() == '*' || peek() == '+' || peek() == '?'))
            return invalid("an assertion cannot be repeated");
        return assertion || quantifier();
    }

    /// "{2}", "{2,}", "{2,5}" at the cursor.
    bool counts(std::uint32_t& least, std::uint32_t& most, bool& open_end) {
        constexpr std::uint32_t huge = 1'000'000'000;
        auto read = [&](std::uint32_t& number) {
            if (!is_digit(peek())) return false;
            for (number = 0; is_digit(peek()); ++at_)
                if (number < huge) number = number * 10 + static_cast<std::uint32_t>(peek() - '0');
            return true;
        };
        if (!take("{") || !read(least)) return false;
        most = least;
        if (take(",")) {
            open_end = !is_digit(peek());
            if (!open_end) read(most);
        }
        return take("}");
    }

    void repeat(std::uint32_t least, std::uint32_t most) {
        if (!sequence().simple || sequence().items.empty()) return;
        sequence().items.back().least = least;
        sequence().items.back().most = most;
    }

    bool quantifier() {
        auto before = at_;
        char c = peek();
        if (c == '*' || c == '+' || c == '?') {
            ++at_;
            out() += c;
            repeat(c == '+' ? 1 : 0, c == '?' ? 1 : endless);
        } else if (c == '{') {
            std::uint32_t least = 0;
            std::uint32_t most = 0;
            bool open_end = false;
            if (!counts(least, most, open_end)) {
                at_ = before;
                return true;
            }
            if (!open_end && most < least) return invalid("the counts are out of order");
            if (least > most_repeats || most > most_repeats)
                return invalid("more than 1000 repeats", Verdict::too_complex);
            out() += std::string(pattern_.substr(before, at_ - before));
            repeat(least, open_end ? endless : most);
        } else {
            return true;
        }
        take("?"); // Lazy or not, the same texts match.
        return true;
    }

    bool escape() {
        char letter = peek(1);
        if (letter == 'b' || letter == 'B') {
            at_ += 2;
            out() += letter == 'b' ? "\\b" : "\\B";
            complicated();
            return true;
        }
        if (letter >= '1' && letter <= '9') {
            at_ += 2;
            while (is_digit(peek())) ++at_;
            unsupported("back-references need backtracking");
            out() += "(?:)";
            return quantifier();
        }
        if (letter == 'k') {
            at_ += 2;
            auto end = pattern_.find('>', at_);
            if (!take("<") || end == std::string_view::npos) return invalid("\\k names no group");
            references_.insert("");
            at_ = end + 1;
            unsupported("back-references need backtracking");
            out() += "(?:)";
            return quantifier();
        }
        Atom atom;
        if (!atom_escape(atom, false)) return false;
        if (atom.is_set)
            out() += "[" + atom.set + "]";
        else
            append_code_point(out(), atom.code);
        if (!atom.is_set)
            item({{atom.code, atom.code}});
        else if (atom.ranges)
            item(*atom.ranges);
        else
            complicated();
        return quantifier();
    }

    /// What `\…` at the cursor stands for.
    bool atom_escape(Atom& atom, bool in_class) {
        if (++at_ == pattern_.size()) return invalid("the pattern ends with a backslash");
        char c = peek();
        auto code = [&](std::uint32_t value) {
            atom.code = value;
            ++at_;
            return true;
        };
        switch (c) {
        case 'd':
        case 'D':
        case 'w':
        case 'W':
        case 's':
        case 'S':
            ++at_;
            atom.is_set = true;
            atom.ranges = &shorthand(c);
            append_ranges(atom.set, *atom.ranges);
            return true;
        case 'p':
        case 'P':
            return unicode_property(atom);
        case 't':
            return code('\t');
        case 'n':
            return code('\n');
        case 'v':
            return code('\v');
        case 'f':
            return code('\f');
        case 'r':
            return code('\r');
        case '0':
            if (is_digit(peek(1))) return invalid("octal escapes do not exist");
            return code(0);
        case 'b':
            if (in_class) return code('\b');
            return invalid("this escape does not exist");
        case 'c':
            if (!is_letter(peek(1))) return invalid("\\c needs a letter");
            atom.code = static_cast<std::uint32_t>(peek(1)) % 32;
            at_ += 2;
            return true;
        case 'x':
            ++at_;
            return hex(2, atom.code) || invalid("\\x needs two hex digits");
        case 'u':
            return unicode(atom.code);
        default:
            break;
        }
        if (is_letter(c) || is_digit(c)) return invalid("this escape does not exist");
        // The u flag allows syntax characters alone; real schemas escape "@", "-" and "_" too.
        return next_code(atom.code);
    }

    bool hex(std::size_t digits, std::uint32_t& code) {
        code = 0;
        for (std::size_t i = 0; i < digits; ++i, ++at_) {
            char c = peek();
            std::uint32_t digit = 0;
            if (is_digit(c))
                digit = static_cast<std::uint32_t>(c - '0');
            else if (c >= 'a' && c <= 'f')
                digit = static_cast<std::uint32_t>(c - 'a') + 10;
            else if (c >= 'A' && c <= 'F')
                digit = static_cast<std::uint32_t>(c - 'A') + 10;
            else
                return false;
            code = code << 4 | digit;
        }
        return true;
    }

    bool unicode(std::uint32_t& code) {
        ++at_;
        if (take("{")) {
            auto end = pattern_.find('}', at_);
            std::size_t digits = end == std::string_view::npos ? 0 : end - at_;
            while (digits > 6 && peek() == '0') {
                ++at_;
                --digits;
            }
            if (digits == 0 || digits > 6 || !hex(digits, code) || code > last_code_point)
                return invalid("\\u{…} needs the hex digits of a code point");
            return take("}");
        }
        if (!hex(4, code)) return invalid("\\u needs four hex digits");
        if (code >= 0xd800 && code < 0xdc00 && peek() == '\\' && peek(1) == 'u') {
            auto before = at_;
            std::uint32_t low = 0;
            at_ += 2;
            if (hex(4, low) && low >= 0xdc00 && low < 0xe000)
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            else
                at_ = before;
        }
        return true;
    }

    bool unicode_property(Atom& atom) {
        bool negative = peek() == 'P';
        ++at_;
        auto end = pattern_.find('}', at_);
        if (!take("{") || end == std::string_view::npos)
            return invalid("\\p needs a property: \\p{L}");
        auto found = property(pattern_.substr(at_, end - at_));
        if (found.kind == Property::Kind::none) return invalid("this property does not exist");
        if (found.kind == Property::Kind::unsupported)
            unsupported("RE2 has no table of this property");
        at_ = end + 1;
        atom.is_set = true;
        atom.set = negative ? found.negative : found.positive;
        return true;
    }

    bool class_atom(Atom& atom) {
        if (peek() == '\\') return atom_escape(atom, true);
        return next_code(atom.code);
    }

    bool bracket() {
        ++at_;
        bool negative = take("^");
        std::string members;
        std::vector<Range> set;
        while (peek() != ']' || at_ >= pattern_.size()) {
            if (at_ >= pattern_.size()) return invalid("a class is not closed");
            Atom from;
            if (!class_atom(from)) return false;
            if (peek() == '-' && peek(1) != ']' && at_ + 1 < pattern_.size()) {
                ++at_;
                Atom to;
                if (!class_atom(to)) return false;
                if (!from.is_set && !to.is_set) {
                    if (from.code > to.code) return invalid("this range is out of order");
                    append_ranges(members, {{from.code, to.code}});
                    set.emplace_back(from.code, to.code);
                    continue;
                }
                append(members, set, from);
                append_code_point(members, '-'); // "[\w-.]": the dash is itself
                set.emplace_back('-', '-');
                append(members, set, to);
                continue;
            }
            append(members, set, from);
        }
        ++at_;
        set = normalised(std::move(set));
        item(negative ? complement(set) : std::move(set));
        if (members.empty()) // "[]" matches nothing, "[^]" anything
            out() += negative ? "[\\x{0}-\\x{10ffff}]" : "[^\\x{0}-\\x{10ffff}]";
        else
            out() += (negative ? "[^" : "[") + members + "]";
        return true;
    }

    void append(std::string& members, std::vector<Range>& set, const Atom& atom) {
        if (!atom.is_set) {
            append_code_point(members, atom.code);
            set.emplace_back(atom.code, atom.code);
            return;
        }
        members += atom.set;
        if (atom.ranges)
            set.insert(set.end(), atom.ranges->begin(), atom.ranges->end());
        else
            complicated();
    }

    std::string_view pattern_;
    std::size_t at_ = 0;
    bool going_ = true;
    const char* unsupported_ = nullptr;
    bool named_ = false;
    std::vector<bool> groups_; ///< open ones; true: an assertion
    std::set<std::string> names_;
    std::set<std::string> references_;
    Translation result_;
};

} // namespace

Translation translate(std::string_view pattern) {
    return Translator(pattern).run();
}

} // namespace foxwedge::ecma
