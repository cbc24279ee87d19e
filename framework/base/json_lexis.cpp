#include "base/json_lexis.hpp"

#include <algorithm>
#include <cstdint>

#include "base/utf8.hpp"

namespace foxwedge::lexis {
namespace {

int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// The four hex digits at `at`, or -1.
std::int32_t hex4(const char* at, const char* end) noexcept {
    if (end - at < 4) return -1;
    std::int32_t code = 0;
    for (int i = 0; i < 4; ++i) {
        int digit = hex_digit(at[i]);
        if (digit < 0) return -1;
        code = code << 4 | digit;
    }
    return code;
}

/// Appends the escape whose letter is at `at`; returns what follows it, or null.
const char* read_escape(const char* at, const char* end, std::string& buffer) {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (at == end) return nullptr;
    if (auto found = letters.find(*at); found != std::string_view::npos) {
        buffer.push_back(meanings[found]);
        return at + 1;
    }
    if (*at != 'u') return nullptr;
    auto code = hex4(++at, end);
    if (code < 0) return nullptr;
    at += 4;
    auto whole = static_cast<std::uint32_t>(code);
    if (whole >= 0xd800 && whole < 0xe000) {
        auto low = end - at >= 6 && at[0] == '\\' && at[1] == 'u' ? hex4(at + 2, end) : -1;
        if (whole < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
            whole = 0x10000 + ((whole - 0xd800) << 10) + (static_cast<std::uint32_t>(low) - 0xdc00);
            at += 6;
        } else {
            whole = 0xfffd; // JavaScript writes halves of cut emoji like this; UTF-8 has no form
        }
    }
    utf8::append(buffer, whole);
    return at;
}

} // namespace

Text read_string(const char* at, const char* end, std::string& buffer) {
    Text text;
    const char* run = ++at;
    auto fail = [&](const char* where, const char* reason) {
        text.mistake = where;
        text.reason = reason;
        return text;
    };
    while (true) {
        at = skip_plain(at, end);
        if (at == end) return fail(at, "the text ends inside a string");
        if (*at == '"') {
            if (text.escaped) {
                buffer.append(run, at);
                text.value = buffer;
            } else {
                text.value = {run, static_cast<std::size_t>(at - run)};
            }
            text.end = at + 1;
            return text;
        }
        if (*at == '\\') {
            if (!text.escaped) buffer.clear();
            text.escaped = true;
            buffer.append(run, at);
            const char* next = read_escape(at + 1, end, buffer);
            if (!next) return fail(at, "this escape does not exist in JSON");
            run = at = next;
        } else if (static_cast<unsigned char>(*at) < 0x20) {
            return fail(at, "a control character in a string must be escaped");
        } else {
            auto length = utf8::sequence(at, end);
            if (length == 0) return fail(at, "this byte is no valid UTF-8");
            at += length;
        }
    }
}

Error mistake(std::string_view text, std::size_t offset, std::string_view reason) {
    auto before = text.substr(0, offset);
    auto line = 1 + std::count(before.begin(), before.end(), '\n');
    auto last = before.rfind('\n');
    auto column = 1 + (last == std::string_view::npos ? offset : offset - last - 1);
    auto place = std::to_string(line);
    auto across = std::to_string(column);
    return permanent("invalid_json",
                     "line " + place + ", column " + across + ": " + std::string(reason),
                     "{\"line\":" + place + ",\"column\":" + across +
                         ",\"offset\":" + std::to_string(offset) + "}");
}

} // namespace foxwedge::lexis
