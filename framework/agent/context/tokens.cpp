#include "agent/context/tokens.hpp"

#include "agent/context/habits.hpp"

namespace foxwedge::agent {
namespace {

constexpr std::int64_t per_message = 3;    // role and separators
constexpr std::int64_t per_picture = 1200; // by the providers' rule, not by the length of base64

/// The next code point of valid or invalid UTF-8.
char32_t next(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    };
    const unsigned lead = byte(at);
    const int more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    char32_t point = more == 0 ? lead : lead & (0x3Fu >> more);
    for (int i = 1; i <= more; ++i) point = (point << 6) | (byte(at + i) & 0x3Fu);
    at += static_cast<std::size_t>(more) + 1;
    return point;
}

enum class Kind { letter, digit, blank, mark, wide, picture, other };

Kind kind_of(char32_t c) {
    if (c < 0x80) {
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return Kind::letter;
        if (c >= '0' && c <= '9') return Kind::digit;
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') return Kind::blank;
        return Kind::mark;
    }
    if (c < 0x2000) return Kind::other; // other alphabets
    if ((c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7AF) ||
        (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF00 && c <= 0xFFEF) ||
        (c >= 0x20000 && c <= 0x3FFFF))
        return Kind::wide;
    if (c >= 0x1F000 || (c >= 0x2600 && c <= 0x27BF) || c == 0xFE0F || c == 0x200D)
        return Kind::picture;
    return Kind::mark;
}

/// Tokens of a run of `length` characters of one kind, in hundredths.
std::int64_t cost(Kind kind, std::int64_t length) {
    switch (kind) {
    case Kind::letter:
        return length <= 6 ? 100 : 100 + (length - 6) * 22;
    case Kind::digit:
        return (length + 2) / 3 * 100;
    case Kind::blank:
        return length <= 1 ? 0 : 60; // one blank belongs to the word after it
    case Kind::mark:
        return length <= 2 ? 80 : 80 + (length - 2) * 30;
    case Kind::wide:
        return length * 90;
    case Kind::picture:
        return length * 210;
    case Kind::other:
        return 60 + length * 38;
    }
    return length * 100;
}

} // namespace

std::int64_t estimated_tokens(std::string_view text) {
    std::int64_t hundredths = 0;
    std::int64_t length = 0;
    Kind current = Kind::blank;
    for (std::size_t at = 0; at < text.size();) {
        const Kind kind = kind_of(next(text, at));
        if (kind != current) {
            if (length) hundredths += cost(current, length);
            current = kind;
            length = 0;
        }
        ++length;
    }
    if (length) hundredths += cost(current, length);
    return (hundredths + 99) / 100;
}

std::int64_t estimated_tokens(const Block& block) {
    switch (block.type) {
    case Block::Type::text:
    case Block::Type::reasoning:
        return estimated_tokens(block.text);
    case Block::Type::tool_call:
        return 8 + estimated_tokens(block.name) + estimated_tokens(block.arguments);
    case Block::Type::tool_result: {
        std::int64_t sum = 8;
        for (const Block& inner : block.content) sum += estimated_tokens(inner);
        return sum;
    }
    case Block::Type::other: {
        const auto type = string_member(block.raw, "type").value_or("");
        if (type == "image" || type == "audio") return per_picture;
        return estimated_tokens(to_text(block.raw));
    }
    }
    return 0;
}

std::int64_t estimated_tokens(const Message& message) {
    std::int64_t sum = per_message;
    for (const Block& block : message.content) sum += estimated_tokens(block);
    return sum;
}

std::int64_t estimated_tokens(const GenerateRequest& request) {
    const Habits& habits = habits_of(request.model);
    std::int64_t sum = habits.request + estimated_tokens(request.system);
    if (!request.tools.empty()) sum += habits.tools;
    for (const ToolForModel& tool : request.tools)
        sum += habits.tool + estimated_tokens(tool.name) + estimated_tokens(tool.description) +
               estimated_tokens(to_text(tool.input_schema)) * habits.schema / 100;
    if (const Json* shape = member(request.output, "schema"))
        sum += habits.output + estimated_tokens(to_text(*shape)) * habits.output_schema / 100;
    for (const Message& message : request.messages) sum += estimated_tokens(message);
    return sum;
}

Usage estimated_usage(const GenerateRequest& request, const Generated& answer) {
    Usage usage;
    usage.input = estimated_tokens(request);
    for (const Block& block : answer.content) usage.output += estimated_tokens(block);
    usage.estimated = true;
    return usage;
}

} // namespace foxwedge::agent
