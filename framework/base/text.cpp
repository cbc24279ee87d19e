#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/utf8.hpp"

namespace foxwedge {
namespace {

constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// Edits that make one word the other; a swap of neighbours is one (as people mistype).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            now[j] = std::min(
                {last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = std::min(now[j], before_last[j - 2] + 1);
        }
        before_last.swap(last);
        last.swap(now);
    }
    return last[b.size()];
}

} // namespace

bool is_utf8(std::string_view text) {
    const char* end = text.data() + text.size();
    for (const char* at = text.data(); at != end;) {
        auto length = utf8::sequence(at, end);
        if (length == 0) return false;
        at += length;
    }
    return true;
}

std::string to_utf8(std::string_view bytes, bool* repaired) {
    std::string text;
    text.reserve(bytes.size());
    if (repaired) *repaired = false;
    const char* end = bytes.data() + bytes.size();
    for (const char* at = bytes.data(); at != end;) {
        if (auto length = utf8::sequence(at, end)) {
            text.append(at, length);
            at += length;
        } else {
            text += "\xef\xbf\xbd";
            if (repaired) *repaired = true;
            ++at;
        }
    }
    return text;
}

std::size_t code_points(std::string_view text) {
    return text.size() -
           static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues));
}

std::string_view first_code_points(std::string_view text, std::size_t count) {
    std::size_t at = 0;
    for (; at < text.size(); ++at)
        if (!continues(text[at]) && count-- == 0) break;
    return text.substr(0, at);
}

std::string_view first_bytes(std::string_view text, std::size_t bytes) {
    if (bytes >= text.size()) return text;
    while (bytes > 0 && continues(text[bytes])) --bytes;
    return text.substr(0, bytes);
}

std::string to_base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        auto rest = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t bits = 0;
        for (std::size_t j = 0; j < 3; ++j)
            bits = bits << 8 | (j < rest ? static_cast<unsigned char>(bytes[i + j]) : 0U);
        for (std::size_t j = 0; j < 4; ++j)
            text.push_back(j <= rest ? base64_digits[bits >> (18 - 6 * j) & 63] : '=');
    }
    return text;
}

Result<std::string> from_base64(std::string_view text) {
    auto refused = [] { return permanent("invalid_base64", "the text is not valid base64"); };
    while (!text.empty() && text.back() == '=') text.remove_suffix(1);
    if (text.size() % 4 == 1) return refused();
    std::string bytes;
    bytes.reserve(text.size() * 3 / 4);
    std::uint32_t bits = 0;
    int held = 0;
    for (char c : text) {
        auto digit = c == '-' ? 62 : c == '_' ? 63 : base64_digits.find(c); // URL-safe form too
        if (digit == std::string_view::npos) return refused();
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        if ((held += 6) >= 8) {
            held -= 8;
            bytes.push_back(static_cast<char>(bits >> held & 0xff));
        }
    }
    return bytes;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        auto at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\f\v";
    auto from = text.find_first_not_of(blanks);
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

std::string lower_ascii(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    std::string text;
    for (const auto& part : parts) {
        if (&part != &parts.front()) text += separator;
        text += part;
    }
    return text;
}

std::string_view nearest(std::string_view word, const std::vector<std::string>& candidates) {
    constexpr std::size_t longest = 100; // The distance costs the product of both lengths.
    std::string_view best;
    if (word.empty() || word.size() > longest) return best;
    auto least = std::max<std::size_t>(1, word.size() / 3) + 1;
    auto lower = lower_ascii(word);
    for (const auto& candidate : candidates) {
        if (candidate.size() > longest) continue;
        auto found = distance(lower, lower_ascii(candidate));
        if (found < least) {
            least = found;
            best = candidate;
        }
    }
    return best;
}

} // namespace foxwedge
