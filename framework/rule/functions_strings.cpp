// Functions of strings: those of the standard, and of its strings extension but for format().
#include <algorithm>
#include <limits>
#include <optional>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "rule/functions.hpp"

namespace foxwedge::rule {
namespace {

constexpr const char* index_out_of_range = "the index is out of range";

bool all_strings(Arguments arguments) {
    return std::all_of(arguments.begin(), arguments.end(),
                       [](const Value& value) { return value.is(Kind::string); });
}

/// A whole number that an argument says; JSON's are doubles.
std::optional<std::int64_t> whole(const Value& value) {
    if (value.is(Kind::integer)) return value.integer;
    constexpr double limit = 1e15;
    if (value.is(Kind::real) && value.real == static_cast<double>(static_cast<std::int64_t>(
                                                  std::clamp(value.real, -limit, limit))))
        return static_cast<std::int64_t>(value.real);
    return std::nullopt;
}

/// The byte at which code point `index` begins; none if the text is shorter.
std::optional<std::size_t> byte_of(std::string_view text, std::int64_t index) {
    if (index < 0) return std::nullopt;
    auto head = first_code_points(text, static_cast<std::size_t>(index));
    if (head.size() < text.size()) return head.size();
    return code_points(text) == static_cast<std::size_t>(index) ? std::optional(text.size())
                                                                : std::nullopt;
}

Value starts_with(Arguments arguments, Context&) {
    if (!all_strings(arguments)) return failure(no_overload);
    return of_bool(arguments[0].view().starts_with(arguments[1].view()));
}
Value ends_with(Arguments arguments, Context&) {
    if (!all_strings(arguments)) return failure(no_overload);
    return of_bool(arguments[0].view().ends_with(arguments[1].view()));
}
Value contains(Arguments arguments, Context& context) {
    if (!all_strings(arguments)) return failure(no_overload);
    context.steps += arguments[0].size / 64;
    return of_bool(arguments[0].view().find(arguments[1].view()) != std::string_view::npos);
}

Value matches(Arguments arguments, Context& context) {
    if (!all_strings(arguments)) return failure(no_overload);
    context.steps += arguments[0].size / 64;
    if (context.node.pattern >= 0)
        return of_bool(
            context.program.patterns[static_cast<std::size_t>(context.node.pattern)].found_in(
                arguments[0].view()));
    context.steps += 100 + arguments[1].size; // a pattern compiled for this one use
    auto pattern = Pattern::compile(arguments[1].view());
    if (!pattern) return context.arena.fail(pattern.error().message);
    return of_bool(pattern->found_in(arguments[0].view()));
}

Value char_at(Arguments arguments, Context& context) {
    auto index = whole(arguments[1]);
    if (!arguments[0].is(Kind::string) || !index) return failure(no_overload);
    auto text = arguments[0].view();
    context.steps += text.size() / 64;
    auto from = byte_of(text, *index);
    if (!from) return failure(index_out_of_range);
    return of_text(first_code_points(text.substr(*from), 1));
}

Value substring(Arguments arguments, Context& context) {
    auto first = whole(arguments[1]);
    auto last = arguments.size() > 2 ? whole(arguments[2]) : std::optional<std::int64_t>(-1);
    if (!arguments[0].is(Kind::string) || !first || !last) return failure(no_overload);
    auto text = arguments[0].view();
    context.steps += text.size() / 64;
    auto from = byte_of(text, *first);
    auto to = arguments.size() > 2 ? byte_of(text, *last) : std::optional(text.size());
    if (!from || !to || *to < *from) return failure(index_out_of_range);
    return of_text(text.substr(*from, *to - *from));
}

Value index_of(Arguments arguments, Context& context) {
    auto offset = arguments.size() > 2 ? whole(arguments[2]) : std::optional<std::int64_t>(0);
    if (!all_strings(arguments.first(2)) || !offset) return failure(no_overload);
    auto text = arguments[0].view();
    context.steps += text.size() / 64;
    auto from = byte_of(text, *offset);
    if (!from) return failure(index_out_of_range);
    auto found = text.find(arguments[1].view(), *from);
    if (found == std::string_view::npos) return of_int(-1);
    return of_int(static_cast<std::int64_t>(code_points(text.substr(0, found))));
}

Value last_index_of(Arguments arguments, Context& context) {
    if (!all_strings(arguments.first(2))) return failure(no_overload);
    auto text = arguments[0].view();
    context.steps += text.size() / 64;
    auto from = text.size();
    if (arguments.size() > 2) {
        auto offset = whole(arguments[2]);
        if (!offset) return failure(no_overload);
        auto byte = byte_of(text, *offset);
        if (!byte) return failure(index_out_of_range);
        from = *byte;
    }
    auto found = text.rfind(arguments[1].view(), from);
    if (found == std::string_view::npos) return of_int(-1);
    return of_int(static_cast<std::int64_t>(code_points(text.substr(0, found))));
}

Value changed_case(Arguments arguments, Context& context, char from, char to, int shift) {
    if (!all_strings(arguments)) return failure(no_overload);
    std::string text(arguments[0].view());
    context.steps += text.size() / 64;
    for (char& c : text)
        if (c >= from && c <= to) c = static_cast<char>(c + shift);
    return context.arena.text(std::move(text));
}
Value lower(Arguments arguments, Context& context) {
    return changed_case(arguments, context, 'A', 'Z', 'a' - 'A');
}
Value upper(Arguments arguments, Context& context) {
    return changed_case(arguments, context, 'a', 'z', 'A' - 'a');
}

bool is_blank(std::uint32_t code) {
    return (code >= 0x09 && code <= 0x0d) || code == 0x20 || code == 0x85 || code == 0xa0 ||
           code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
           code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

Value trim(Arguments arguments, Context& context) {
    if (!all_strings(arguments)) return failure(no_overload);
    auto text = arguments[0].view();
    context.steps += text.size() / 64;
    std::size_t from = text.size();
    std::size_t to = 0;
    for (std::size_t at = 0; at < text.size();) {
        auto length =
            std::max<std::size_t>(1, utf8::sequence(text.data() + at, text.data() + text.size()));
        if (!is_blank(utf8::decode(text.data() + at, length))) {
            from = std::min(from, at);
            to = at + length;
        }
        at += length;
    }
    return of_text(from < to ? text.substr(from, to - from) : std::string_view());
}

Value replace(Arguments arguments, Context& context) {
    auto limit = arguments.size() > 3 ? whole(arguments[3]) : std::optional<std::int64_t>(-1);
    if (!all_strings(arguments.first(3)) || !limit) return failure(no_overload);
    auto text = arguments[0].view();
    auto old = arguments[1].view();
    auto with = arguments[2].view();
    auto left = *limit < 0 ? std::numeric_limits<std::int64_t>::max() : *limit;
    std::string out;
    std::size_t at = 0;
    while (left-- > 0 && at <= text.size()) {
        auto found = text.find(old, at);
        if (found == std::string_view::npos) break;
        out.append(text.substr(at, found - at)).append(with);
        at = found + old.size();
        if (old.empty()) { // between all characters
            auto next = first_code_points(text.substr(at), 1);
            out.append(next);
            at += std::max<std::size_t>(1, next.size());
        }
        if ((context.steps += 1 + with.size() / 64) > context.program.steps)
            return failure("the result is too large");
    }
    if (at < text.size()) out.append(text.substr(at));
    context.steps += text.size() / 64;
    return context.arena.text(std::move(out));
}

Value split(Arguments arguments, Context& context) {
    auto limit = arguments.size() > 2 ? whole(arguments[2]) : std::optional<std::int64_t>(-1);
    if (!all_strings(arguments.first(2)) || !limit) return failure(no_overload);
    auto text = arguments[0].view();
    auto separator = arguments[1].view();
    std::vector<Value> parts;
    if (*limit == 0) return context.arena.list({});
    while (*limit < 0 || static_cast<std::int64_t>(parts.size()) + 1 < *limit) {
        if (++context.steps > context.program.steps) return failure("the result is too large");
        auto found = separator.empty() ? first_code_points(text, 1).size() : text.find(separator);
        if (found == std::string_view::npos || (separator.empty() && found >= text.size())) break;
        parts.push_back(of_text(text.substr(0, found)));
        text.remove_prefix(found + separator.size());
    }
    if (!separator.empty() || !text.empty()) parts.push_back(of_text(text));
    return context.arena.list(std::move(parts));
}

Value join(Arguments arguments, Context& context) {
    auto separator = arguments.size() > 1 ? arguments[1] : of_text("");
    if (!arguments[0].is(Kind::list) || !separator.is(Kind::string)) return failure(no_overload);
    std::string out;
    for (std::size_t i = 0; i < size_of(arguments[0]); ++i) {
        auto part = element(arguments[0], i);
        if (!part.is(Kind::string)) return failure(no_overload);
        if (i != 0) out.append(separator.view());
        out.append(part.view());
        if ((context.steps += 1 + (part.size + separator.size) / 64) > context.program.steps)
            return failure("the result is too large");
    }
    return context.arena.text(std::move(out));
}

Value reverse(Arguments arguments, Context& context) {
    if (!all_strings(arguments)) return failure(no_overload);
    auto text = arguments[0].view();
    context.steps += text.size() / 16;
    std::string out;
    for (auto at = text.size(); at > 0;) {
        auto from = at - 1;
        while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xc0) == 0x80) --from;
        out.append(text.substr(from, at - from));
        at = from;
    }
    return context.arena.text(std::move(out));
}

Value quote(Arguments arguments, Context& context) {
    if (!all_strings(arguments)) return failure(no_overload);
    constexpr std::string_view special = "\a\b\f\n\r\t\v\\\"";
    constexpr std::string_view letters = "abfnrtv\\\"";
    std::string out = "\"";
    context.steps += arguments[0].size / 64;
    for (char c : to_utf8(arguments[0].view())) {
        auto found = special.find(c);
        if (found != std::string_view::npos)
            (out += '\\') += letters[found];
        else
            out += c;
    }
    return context.arena.text(out + "\"");
}

constexpr Function string_table[] = {
    {"startsWith", true, 2, 2, starts_with},
    {"endsWith", true, 2, 2, ends_with},
    {"contains", true, 2, 2, contains},
    {"matches", true, 2, 2, matches},
    {"matches", false, 2, 2, matches},
    {"charAt", true, 2, 2, char_at},
    {"substring", true, 2, 3, substring},
    {"indexOf", true, 2, 3, index_of},
    {"lastIndexOf", true, 2, 3, last_index_of},
    {"lowerAscii", true, 1, 1, lower},
    {"upperAscii", true, 1, 1, upper},
    {"trim", true, 1, 1, trim},
    {"replace", true, 3, 4, replace},
    {"split", true, 2, 3, split},
    {"join", true, 1, 2, join},
    {"reverse", true, 1, 1, reverse},
    {"strings.quote", false, 1, 1, quote},
};

} // namespace

std::span<const Function> string_functions() {
    return string_table;
}

} // namespace foxwedge::rule
