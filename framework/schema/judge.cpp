// The checks of a subschema that look at one value and need no other subschema.
#include <cmath>

#include "base/text.hpp"
#include "schema/explain.hpp"
#include "schema/machine_scratch.hpp"

namespace foxwedge::schema {
namespace {

using boost::json::kind;

std::uint8_t bit_of(const Json& value) noexcept {
    switch (value.kind()) {
    case kind::null:
        return null_bit;
    case kind::bool_:
        return boolean_bit;
    case kind::int64:
    case kind::uint64:
        return integer_bit;
    case kind::double_:
        return value.get_double() == std::floor(value.get_double()) ? integer_bit : number_bit;
    case kind::string:
        return string_bit;
    case kind::array:
        return array_bit;
    case kind::object:
        return object_bit;
    }
    return 0;
}

/// Code points are counted only where bytes alone do not decide.
bool shorter(std::string_view text, std::size_t least) {
    if (text.size() < least) return true;
    return text.size() / 4 < least && code_points(text) < least;
}
bool longer(std::string_view text, std::size_t most) {
    return text.size() > most && code_points(text) > most;
}

} // namespace

bool Machine::judge(const Node& node, const Json& value, Place place, bool collects) {
    if (node.never) {
        if (collects && wants()) report(node, "", place, "no value is allowed here");
        return false;
    }
    bool ok = true;
    auto bit = bit_of(value);
    if (!(node.types & bit)) {
        if (!collects) return false;
        if (wants()) report(node, "type", place, explain::type(node.types, value));
        return false; // the other checks of this value would only repeat it
    }
    for (auto index : {node.choice, node.choice_2}) {
        if (index == none) break;
        const auto& part = program_.choices[static_cast<std::size_t>(index)];
        if (is_choice(part, value)) continue;
        if (!collects) return false;
        if (wants())
            report(node, part.constant ? "const" : "enum", place, explain::choice(part, value));
        ok = false;
    }
    switch (bit) {
    case string_bit:
        if (node.string != none)
            ok &= judge_string(node, view(value.get_string()), value, place, collects);
        break;
    case integer_bit:
    case number_bit:
        if (node.number != none) ok &= judge_number(node, value, place, collects);
        break;
    case array_bit:
    case object_bit:
        if (node.count != none) ok &= judge_count(node, value, place, collects);
        break;
    default:
        break;
    }
    return ok;
}

bool Machine::is_choice(const ChoicePart& part, const Json& value) {
    if (!part.strings.empty()) {
        const auto* string = value.if_string();
        if (!string) return false;
        auto text = view(*string);
        if (part.strings.size() >= many_choices)
            return std::binary_search(part.strings.begin(), part.strings.end(), text);
        return std::find(part.strings.begin(), part.strings.end(), text) != part.strings.end();
    }
    steps_ += part.values.size() / 8;
    return std::any_of(part.values.begin(), part.values.end(),
                       [&](const Json* allowed) { return equal(*allowed, value); });
}

bool Machine::judge_string(const Node& node, std::string_view text, const Json& value, Place place,
                           bool collects) {
    const auto& part = program_.strings[static_cast<std::size_t>(node.string)];
    bool ok = true;
    auto object = [&](std::string_view keyword, auto explanation) {
        ok = false;
        if (collects && wants()) report(node, keyword, place, explanation());
        return !collects;
    };
    if (part.min != 0 && shorter(text, part.min) &&
        object("minLength", [&] { return explain::length("at least", part.min, text); }))
        return false;
    if (longer(text, part.max) &&
        object("maxLength", [&] { return explain::length("at most", part.max, text); }))
        return false;
    if (part.pattern != none) {
        steps_ += text.size() / 1024;
        if (!program_.patterns[static_cast<std::size_t>(part.pattern)].found_in(text) &&
            object("pattern", [&] { return explain::pattern(*node.schema, value); }))
            return false;
    }
    if (part.format && !part.format->valid(text))
        object("format", [&] { return explain::format(*part.format, value); });
    return ok;
}

bool Machine::judge_number(const Node& node, const Json& value, Place place, bool collects) {
    const auto& part = program_.numbers[static_cast<std::size_t>(node.number)];
    bool ok = true;
    auto check = [&](std::string_view keyword, const Json* bound, bool fits, const char* relation) {
        if (!bound || fits) return;
        ok = false;
        if (collects && wants())
            report(node, keyword, place, explain::bound(relation, *bound, value));
    };
    check("minimum", part.minimum, !part.minimum || !less(value, *part.minimum), "at least");
    check("maximum", part.maximum, !part.maximum || !less(*part.maximum, value), "at most");
    check("exclusiveMinimum", part.exclusive_minimum,
          !part.exclusive_minimum || less(*part.exclusive_minimum, value), "greater than");
    check("exclusiveMaximum", part.exclusive_maximum,
          !part.exclusive_maximum || less(value, *part.exclusive_maximum), "less than");
    check("multipleOf", part.multiple_of,
          !part.multiple_of || is_multiple(value, *part.multiple_of), "a multiple of");
    return ok;
}

bool Machine::judge_count(const Node& node, const Json& value, Place place, bool collects) {
    const auto& part = program_.counts[static_cast<std::size_t>(node.count)];
    bool ok = true;
    auto check = [&](std::string_view keyword, bool fits, const char* relation, std::size_t bound,
                     std::size_t size, const char* what) {
        if (fits) return;
        ok = false;
        if (collects && wants())
            report(node, keyword, place, explain::count(relation, bound, size, what));
    };
    if (const auto* object = value.if_object()) {
        auto size = object->size();
        check("minProperties", size >= part.min_properties, "at least", part.min_properties, size,
              "properties");
        check("maxProperties", size <= part.max_properties, "at most", part.max_properties, size,
              "properties");
        return ok;
    }
    const auto& array = value.get_array();
    auto size = array.size();
    check("minItems", size >= part.min_items, "at least", part.min_items, size, "items");
    check("maxItems", size <= part.max_items, "at most", part.max_items, size, "items");
    if (ok && part.unique && !all_unique(array, steps_, program_.steps)) {
        ok = false;
        if (collects && wants())
            report(node, "uniqueItems", place, "must not hold the same item twice");
    }
    return ok;
}

} // namespace foxwedge::schema
