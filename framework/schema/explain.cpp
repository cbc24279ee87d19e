#include "schema/explain.hpp"

#include <algorithm>

#include "base/json_kind.hpp"
#include "base/text.hpp"

namespace foxwedge::schema::explain {
namespace {

constexpr std::size_t longest_value = 80; ///< bytes of someone's value that a message repeats
constexpr std::size_t most_listed = 20;

/// The value itself if it is small, else its kind.
std::string shown(const Json& value) {
    if (value.is_string()) {
        auto text = view(value.get_string());
        if (text.size() <= longest_value) return quoted(text);
        return quoted(std::string(first_bytes(text, longest_value - 3)) + "…");
    }
    return value.is_structured() ? std::string(kind_name(value)) : to_text(value);
}

std::string text_of(const Json& value) {
    // Constants of a schema are small or not worth repeating.
    if (!value.is_structured()) return shown(value);
    auto text =
        value.is_array() && value.get_array().size() > most_listed ? std::string() : to_text(value);
    return text.empty() || text.size() > 4 * longest_value ? std::string(kind_name(value)) : text;
}

std::string listed(const std::vector<std::string>& words) {
    if (words.size() <= most_listed) return join(words, ", ");
    return join({words.begin(), words.begin() + most_listed}, ", ") + ", … (" +
           std::to_string(words.size()) + " in all)";
}

} // namespace

std::string type(std::uint8_t types, const Json& value) {
    std::vector<std::string> names;
    if (types & null_bit) names.emplace_back("null");
    if (types & boolean_bit) names.emplace_back("a boolean");
    if (types & number_bit)
        names.emplace_back("a number");
    else if (types & integer_bit)
        names.emplace_back("an integer");
    if (types & string_bit) names.emplace_back("a string");
    if (types & array_bit) names.emplace_back("an array");
    if (types & object_bit) names.emplace_back("an object");
    auto got = value.is_string() ? "the string " + shown(value) : shown(value);
    if (names.empty()) return "no value is allowed here";
    return "must be " + join(names, " or ") + ", not " + got;
}

std::string choice(const ChoicePart& part, const Json& value) {
    if (part.constant) return "must be " + text_of(*part.values.front()) + ", not " + shown(value);
    std::vector<std::string> allowed;
    for (const auto* each : part.values) {
        allowed.push_back(text_of(*each));
        if (allowed.size() > most_listed) {
            allowed.resize(part.values.size());
            break;
        }
    }
    auto message = "must be one of " + listed(allowed) + "; " + shown(value) + " is not";
    if (value.is_string() && !part.strings.empty()) {
        // `near` points into the candidates.
        const std::vector<std::string> candidates(
            part.strings.begin(),
            part.strings.begin() +
                static_cast<std::ptrdiff_t>(std::min<std::size_t>(part.strings.size(), 200)));
        const auto near = nearest(view(value.get_string()), candidates);
        if (!near.empty()) message += " (did you mean " + quoted(near) + "?)";
    }
    return message;
}

std::string length(std::string_view relation, std::size_t bound, std::string_view text) {
    return "must have " + std::string(relation) + " " + std::to_string(bound) +
           " characters, it has " + std::to_string(code_points(text));
}

std::string pattern(const Json& schema, const Json& value) {
    const auto* text = member(schema, "pattern");
    return "must match the regular expression " +
           (text ? shown(*text) : std::string("of its schema")) + "; " + shown(value) + " does not";
}

std::string format(const Format& format, const Json& value) {
    return "must be a " + std::string(format.name) + " like " + std::string(format.example) +
           ", not " + shown(value);
}

std::string bound(std::string_view relation, const Json& bound, const Json& value) {
    return "must be " + std::string(relation) + " " + to_text(bound) + ", not " + to_text(value);
}

std::string count(std::string_view relation, std::size_t bound, std::size_t size,
                  std::string_view what) {
    return "must have " + std::string(relation) + " " + std::to_string(bound) + " " +
           std::string(what) + ", it has " + std::to_string(size);
}

std::string missing(std::string_view name) {
    return "the property " + quoted(name) + " is missing";
}

std::string needed(std::string_view name, std::string_view trigger) {
    return "the property " + quoted(name) + " is missing; " + quoted(trigger) + " needs it";
}

std::string unknown_property(std::string_view name, const MembersPart& part) {
    std::vector<std::string> known;
    for (const auto& slot : part.slots)
        if (slot.node != no_node) known.emplace_back(slot.name);
    auto message = "the property " + quoted(first_bytes(name, longest_value)) + " is not known";
    auto near = nearest(name, known);
    if (!near.empty()) return message + "; did you mean " + quoted(near) + "?";
    if (known.empty()) return message + "; this object takes none";
    for (auto& each : known) each = quoted(each);
    return message + "; known are " + listed(known);
}

std::string unexpected_property(std::string_view name) {
    return "the property " + quoted(first_bytes(name, longest_value)) + " is not expected here";
}

std::string contains(const ContainsPart& part, std::size_t count) {
    auto found = ", it has " + std::to_string(count);
    if (count < part.min)
        return "must have at least " + std::to_string(part.min) +
               " items as the schema's \"contains\" describes them" + found;
    return "must have at most " + std::to_string(part.max) +
           " items as the schema's \"contains\" describes them" + found;
}

std::string alternatives(std::size_t matches, std::size_t count, bool nearest_follows) {
    if (matches > 1) return "must match exactly one of the alternatives, it matches several";
    auto message = "matches none of the " + std::to_string(count) + " alternatives";
    return nearest_follows ? message + "; what the nearest one lacks follows" : message;
}

std::string forbidden(const Json& schema) {
    auto text = schema.is_structured() ? text_of(schema) : std::string();
    return "must not match the schema under \"not\"" + (text.empty() ? text : ": " + text);
}

} // namespace foxwedge::schema::explain
