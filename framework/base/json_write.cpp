#include "base/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

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

void append_number(std::string& out, std::int64_t value) {
    char text[24];
    out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}
void append_number(std::string& out, std::uint64_t value) {
    char text[24];
    out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}
void append_number(std::string& out, double value, bool keep_kind) {
    // No JSON has a form for these; our readers never make one, a program might.
    if (!std::isfinite(value)) {
        out += "null";
        return;
    }
    char text[number::text_room];
    out.append(text, number::write(text, value, keep_kind));
}

void append_scalar(std::string& out, const Json& value, bool keep_kind) {
    switch (value.kind()) {
    case kind::null:
        out += "null";
        break;
    case kind::bool_:
        out += value.get_bool() ? "true" : "false";
        break;
    case kind::int64:
        append_number(out, value.get_int64());
        break;
    case kind::uint64:
        append_number(out, value.get_uint64());
        break;
    case kind::double_:
        append_number(out, value.get_double(), keep_kind);
        break;
    case kind::string:
        append_quoted(out, view(value.get_string()));
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
    Writer(std::string& out, int indent = 0)
        : out_(out), indent_(static_cast<std::size_t>(indent)) {}

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
                out_ += object ? '}' : ']';
                continue;
            }
            auto index = frame.next++;
            if (index != 0) out_ += ',';
            line();
            if (object) {
                const Member& member = nth(frame, index);
                append_quoted(out_, key_of(member));
                out_ += form == Form::pretty ? ": " : ":";
                begin(member.value());
            } else {
                begin(frame.value->get_array()[index]);
            }
        }
    }

private:
    void begin(const Json& value) {
        if (value.is_object()) {
            out_ += '{';
            const auto& members = value.get_object();
            frames_.push_back({&value, 0, members.size(), sorted_.size()});
            if constexpr (form == Form::canonical) {
                for (const auto& member : members) sorted_.push_back(&member);
                std::sort(sorted_.end() - static_cast<std::ptrdiff_t>(members.size()),
                          sorted_.end(),
                          [](auto* a, auto* b) { return utf16_less(key_of(*a), key_of(*b)); });
            }
        } else if (value.is_array()) {
            out_ += '[';
            frames_.push_back({&value, 0, value.get_array().size(), 0});
        } else {
            append_scalar(out_, value, form != Form::canonical);
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
            out_ += '\n';
            out_.append(indent_ * frames_.size(), ' ');
        }
    }

    std::string& out_;
    std::size_t indent_;
    std::vector<Frame> frames_;
    std::vector<const Member*> sorted_;
};

template <Form form>
void append(std::string& out, const Json& value, int indent = 0) {
    if (value.is_structured())
        Writer<form>(out, indent).write(value);
    else
        append_scalar(out, value, form != Form::canonical);
}

/// Bytes that a JSON string holds as they are, but for UTF-8 to be checked.
constexpr bool verbatim(char c) {
    return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x80 &&
           c != '"' && c != '\\';
}

void append_escape(std::string& out, char c) {
    constexpr std::string_view meanings = "\"\\\b\f\n\r\t";
    constexpr std::string_view letters = "\"\\bfnrt";
    constexpr const char* digits = "0123456789abcdef";
    out += '\\';
    if (auto found = meanings.find(c); found != std::string_view::npos) {
        out += letters[found];
    } else {
        out += "u00";
        out += digits[static_cast<unsigned char>(c) >> 4];
        out += digits[c & 15];
    }
}

} // namespace

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    const char* at = text.data();
    const char* end = at + text.size();
    const char* run = at;
    while (at != end) {
        if (verbatim(*at)) {
            ++at;
            continue;
        }
        if (auto length = static_cast<unsigned char>(*at) >= 0x80 ? utf8::sequence(at, end) : 0) {
            at += length;
            continue;
        }
        out.append(run, at);
        if (static_cast<unsigned char>(*at) < 0x80)
            append_escape(out, *at);
        else
            out += "\xef\xbf\xbd";
        run = ++at;
    }
    out.append(run, end);
    out += '"';
}

std::string quoted(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 2);
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
