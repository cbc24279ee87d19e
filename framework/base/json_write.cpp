#include "base/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "base/json_lexis.hpp"
#include "base/json_number.hpp"
#include "base/utf8.hpp"

namespace foxwedge {
namespace {

using boost::json::kind;
using Member = boost::json::key_value_pair;

std::string_view key_of(const Member& member) {
    return {member.key().data(), member.key().size()};
}

/// RFC 8785 sorts by UTF-16 code units, where what needs a surrogate pair (four bytes here) comes
/// before U+E000 to U+FFFF; everything else is in byte order.
bool utf16_less(std::string_view a, std::string_view b) {
    auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (x == a.end() || y == b.end()) return x == a.end() && y != b.end();
    auto rank = [](char c) {
        auto byte = static_cast<unsigned>(static_cast<unsigned char>(c));
        return byte >= 0xf0 ? 0xed80U + byte : byte >= 0xee ? 0xf000U + byte : byte * 0x100U;
    };
    return rank(*x) < rank(*y);
}

/// The text being written: straight into the string's memory, which is a little longer until the
/// end.
class Text {
public:
    explicit Text(std::string& out) : out_(out), at_(nullptr), end_(nullptr) {
        grow(out.size(), 240);
    }
    ~Text() { out_.resize(static_cast<std::size_t>(at_ - out_.data())); }
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;

    void put(char c) {
        room(1);
        *at_++ = c;
    }
    void put(std::string_view text) {
        room(text.size());
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
    }
    void blanks(std::size_t count) {
        room(count);
        std::memset(at_, ' ', count);
        at_ += count;
    }
    template <class Integer>
    void integer(Integer value) {
        room(number::text_room);
        at_ = std::to_chars(at_, end_, value).ptr;
    }
    void real(double value, bool keep_kind) {
        // No JSON has a form for these; our readers never make one, a program might.
        if (!std::isfinite(value)) return put("null");
        room(number::text_room);
        at_ = number::write(at_, value, keep_kind);
    }
    void quote(std::string_view text);

private:
    void room(std::size_t bytes) {
        if (static_cast<std::size_t>(end_ - at_) < bytes)
            grow(static_cast<std::size_t>(at_ - out_.data()), bytes);
    }
    void grow(std::size_t used, std::size_t bytes) {
        out_.resize(std::max(used + bytes, 2 * used));
        at_ = out_.data() + used;
        end_ = out_.data() + out_.size();
    }
    void special(const char*& at, const char* end);

    std::string& out_;
    char* at_;
    char* end_;
};

void Text::quote(std::string_view text) {
    constexpr std::size_t block = 16; // what one copy may write beyond the run
    const char* at = text.data();
    const char* end = at + text.size();
    room(text.size() + block + 2);
    *at_++ = '"';
    while (true) {
#if defined(__SSE2__)
        while (end - at >= static_cast<std::ptrdiff_t>(block)) {
            auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(at_), bytes);
            auto stops = lexis::not_plain(bytes);
            auto run = stops ? __builtin_ctz(stops) : static_cast<int>(block);
            at += run;
            at_ += run;
            if (stops) break;
        }
#endif
        while (at != end && lexis::plain(*at)) *at_++ = *at++;
        if (at == end) break;
        special(at, end);
        room(static_cast<std::size_t>(end - at) + block + 2);
    }
    *at_++ = '"';
}

/// What cannot be copied unseen: UTF-8, which is checked, and what JSON escapes.
void Text::special(const char*& at, const char* end) {
    constexpr std::string_view meanings = "\"\\\b\f\n\r\t";
    constexpr std::string_view letters = "\"\\bfnrt";
    constexpr const char* digits = "0123456789abcdef";
    auto byte = static_cast<unsigned char>(*at);
    if (byte >= 0x80) {
        while (at != end && static_cast<unsigned char>(*at) >= 0x80) {
            auto length = utf8::sequence(at, end);
            put(length ? std::string_view(at, length) : "\xef\xbf\xbd");
            at += std::max<std::size_t>(length, 1);
        }
        return;
    }
    auto found = meanings.find(*at++);
    put('\\');
    if (found != std::string_view::npos) return put(letters[found]);
    put("u00");
    put(digits[byte >> 4]);
    put(digits[byte & 15]);
}

void scalar(Text& out, const Json& value, bool keep_kind) {
    switch (value.kind()) {
    case kind::null:
        out.put("null");
        break;
    case kind::bool_:
        out.put(value.get_bool() ? "true" : "false");
        break;
    case kind::int64:
        out.integer(value.get_int64());
        break;
    case kind::uint64:
        out.integer(value.get_uint64());
        break;
    case kind::double_:
        out.real(value.get_double(), keep_kind);
        break;
    case kind::string:
        out.quote(view(value.get_string()));
        break;
    default:
        break;
    }
}

/// An open container. Members are walked in place, or through `order` when they are sorted.
struct Frame {
    const Json* value;
    std::size_t next;
    std::size_t size;
    std::size_t order; ///< where this object's members begin in the writer's list
};

enum class Form { compact, pretty, canonical };

/// Walks with a stack of its own: values that a program built may be deeper than any thread's.
template <Form form>
class Writer {
public:
    Writer(Text& out, int indent) : out_(out), indent_(static_cast<std::size_t>(indent)) {}

    void write(const Json& root) {
        begin(root);
        while (!frames_.empty()) {
            auto& frame = frames_.back();
            bool object = frame.value->is_object();
            if (frame.next == frame.size) {
                if constexpr (form == Form::canonical)
                    if (object) sorted_.resize(frame.order);
                bool filled = frame.size != 0;
                frames_.pop_back();
                if (filled) line();
                out_.put(object ? '}' : ']');
                continue;
            }
            auto index = frame.next++;
            if (index != 0) out_.put(',');
            line();
            if (object) {
                const Member& member = nth(frame, index);
                out_.quote(key_of(member));
                if constexpr (form == Form::pretty)
                    out_.put(": ");
                else
                    out_.put(':');
                begin(member.value());
            } else {
                begin(frame.value->get_array()[index]);
            }
        }
    }

private:
    void begin(const Json& value) {
        if (value.is_object()) {
            out_.put('{');
            const auto& members = value.get_object();
            frames_.push_back({&value, 0, members.size(), sorted_.size()});
            if constexpr (form == Form::canonical) {
                for (const auto& member : members) sorted_.push_back(&member);
                std::sort(sorted_.end() - static_cast<std::ptrdiff_t>(members.size()),
                          sorted_.end(),
                          [](auto* a, auto* b) { return utf16_less(key_of(*a), key_of(*b)); });
            }
        } else if (value.is_array()) {
            out_.put('[');
            frames_.push_back({&value, 0, value.get_array().size(), 0});
        } else {
            scalar(out_, value, form != Form::canonical);
        }
    }

    const Member& nth(const Frame& frame, std::size_t index) const {
        if constexpr (form == Form::canonical)
            return *sorted_[frame.order + index];
        else
            return frame.value->get_object().begin()[index];
    }

    void line() {
        if constexpr (form == Form::pretty) {
            out_.put('\n');
            out_.blanks(indent_ * frames_.size());
        }
    }

    Text& out_;
    std::size_t indent_;
    boost::container::small_vector<Frame, 16> frames_;
    std::vector<const Member*> sorted_;
};

template <Form form>
void append(std::string& out, const Json& value, int indent = 0) {
    Text text(out);
    if (value.is_structured())
        Writer<form>(text, indent).write(value);
    else
        scalar(text, value, form != Form::canonical);
}

} // namespace

void append_quoted(std::string& out, std::string_view text) {
    Text(out).quote(text);
}

std::string quoted(std::string_view text) {
    std::string out;
    append_quoted(out, text);
    return out;
}

void append_text(std::string& out, const Json& value) {
    append<Form::compact>(out, value);
}
void append_canonical(std::string& out, const Json& value) {
    append<Form::canonical>(out, value);
}

std::string to_text(const Json& value) {
    std::string out;
    append_text(out, value);
    return out;
}

std::string canonical_text(const Json& value) {
    std::string out;
    append_canonical(out, value);
    return out;
}

std::string to_pretty_text(const Json& value, int indent) {
    std::string out;
    append<Form::pretty>(out, value, indent);
    return out;
}

} // namespace foxwedge
