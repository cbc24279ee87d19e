#include "base/json_source.hpp"

#include <algorithm>

#include "base/json_lexis.hpp"
#include "base/json_number.hpp"
#include "base/text.hpp"

namespace foxwedge {
namespace {

/// Configurations are small and written by hand: recursion, bounded, keeps this plain.
constexpr std::size_t deepest = 256;

class SourceReader {
public:
    SourceReader(std::string_view text, std::size_t depth)
        : begin_(text.data()), at_(begin_), end_(begin_ + text.size()),
          depth_(std::min(depth, deepest)) {}

    bool read(JsonSource& out) {
        positions_ = &out.positions;
        return blanks() && note("") && value("", 0, out.value) && blanks() &&
               (at_ == end_ || fail("there is more text behind the value"));
    }
    std::size_t offset() const { return static_cast<std::size_t>(mistake_ - begin_); }
    const std::string& reason() const { return reason_; }

private:
    bool fail(std::string_view reason, const char* where = nullptr) {
        mistake_ = where ? where : at_;
        reason_ = at_ == end_ && !where ? "the text ends too early" : reason;
        return false;
    }

    bool starts(std::string_view with) const {
        return std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(with);
    }

    /// Skips blanks and comments; false for a comment without end.
    bool blanks() {
        while (at_ != end_) {
            if (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n') {
                ++at_;
            } else if (starts("//")) {
                while (at_ != end_ && *at_ != '\n') ++at_;
            } else if (starts("/*")) {
                std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
                auto close = rest.find("*/", 2);
                if (close == std::string_view::npos) return fail("this comment has no end", at_);
                at_ += close + 2;
            } else {
                break;
            }
        }
        return true;
    }

    /// Remembers where `pointer` is. Only goes forward, so that each byte is counted once.
    bool note(std::string_view pointer) {
        for (; counted_ != at_; ++counted_)
            if (*counted_ == '\n') {
                ++line_;
                column_ = 1;
            } else if ((static_cast<unsigned char>(*counted_) & 0xC0) != 0x80) {
                ++column_; // a code point begins
            }
        positions_->insert_or_assign(std::string(pointer), Position{line_, column_});
        return true;
    }

    bool value(std::string_view pointer, std::size_t depth, Json& out) {
        if (at_ == end_) return fail("");
        if (*at_ == '{' || *at_ == '[') {
            if (depth >= depth_) return fail("arrays and objects nest too deeply");
            return *at_ == '{' ? object(pointer, depth + 1, out.emplace_object())
                               : array(pointer, depth + 1, out.emplace_array());
        }
        if (*at_ == '"') {
            std::string text;
            if (!string(text)) return false;
            out = text;
            return true;
        }
        return word(out) || number(out);
    }

    bool string(std::string& out) {
        std::string buffer;
        auto text = lexis::read_string(at_, end_, buffer);
        if (!text.end) return fail(text.reason, text.mistake);
        out = text.value;
        at_ = text.end;
        return true;
    }

    bool word(Json& out) {
        auto take = [&](std::string_view name, auto meaning) {
            if (!starts(name)) return false;
            at_ += name.size();
            out = meaning;
            return true;
        };
        return take("true", true) || take("false", false) || take("null", nullptr);
    }

    bool number(Json& out) {
        using Kind = number::Literal::Kind;
        auto literal = number::read(at_, end_);
        switch (literal.kind) {
        case Kind::int64:
            out = literal.i;
            break;
        case Kind::uint64:
            out = literal.u;
            break;
        case Kind::real:
            out = literal.d;
            break;
        case Kind::too_large:
            return fail("this number is beyond the range of a double");
        case Kind::none:
            return fail("a value was expected here (strings need double quotes)");
        }
        at_ = literal.end;
        return true;
    }

    bool object(std::string_view pointer, std::size_t depth, JsonObject& out) {
        ++at_;
        while (true) {
            if (!blanks()) return false;
            if (at_ != end_ && *at_ == '}') return ++at_, true;
            if (at_ == end_ || *at_ != '"') return fail("a key in double quotes was expected here");
            const char* place = at_;
            std::string key;
            auto here = [&] { return pointer_append(pointer, key); };
            if (!string(key)) return false;
            if (out.contains(key))
                return fail("\"" + key + "\" stands twice in this object", place);
            std::swap(at_, place);
            note(here());
            std::swap(at_, place);
            if (!blanks()) return false;
            if (at_ == end_ || *at_ != ':') return fail("\":\" was expected here");
            ++at_;
            Json member;
            if (!blanks() || !value(here(), depth, member)) return false;
            out.emplace(key, std::move(member));
            if (!separator('}')) return false;
        }
    }

    bool array(std::string_view pointer, std::size_t depth, JsonArray& out) {
        ++at_;
        while (true) {
            if (!blanks()) return false;
            if (at_ != end_ && *at_ == ']') return ++at_, true;
            auto here = pointer_append(pointer, out.size());
            note(here);
            Json element;
            if (!value(here, depth, element)) return false;
            out.push_back(std::move(element));
            if (!separator(']')) return false;
        }
    }

    bool separator(char close) {
        if (!blanks()) return false;
        if (at_ != end_ && *at_ == ',') return ++at_, true;
        if (at_ != end_ && *at_ == close) return true;
        return fail(std::string("\",\" or \"") + close + "\" was expected here");
    }

    const char* begin_;
    const char* at_;
    const char* end_;
    const char* counted_ = begin_;
    int line_ = 1, column_ = 1;
    std::size_t depth_;
    std::map<std::string, Position, std::less<>>* positions_ = nullptr;
    const char* mistake_ = nullptr;
    std::string reason_;
};

} // namespace

Position JsonSource::position(std::string_view pointer) const {
    while (true) {
        if (auto found = positions.find(pointer); found != positions.end()) return found->second;
        auto parent = pointer.rfind('/');
        if (parent == std::string_view::npos) return {1, 1};
        pointer = pointer.substr(0, parent);
    }
}

Result<JsonSource> parse_json_source(std::string_view text, const JsonLimits& limits) {
    if (text.size() > limits.bytes)
        return lexis::mistake({}, 0,
                              "the text is larger than " + std::to_string(limits.bytes) + " bytes");
    JsonSource source;
    SourceReader reader(text, limits.depth);
    if (!reader.read(source)) return lexis::mistake(text, reader.offset(), reader.reason());
    return source;
}

} // namespace foxwedge
