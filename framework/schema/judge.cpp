// The checks of a subschema that look at one value and need no other subschema: the verdict alone,
// as fast as it goes. What is said about a misfit is worked out afterwards (misfit.cpp).
#include "base/text.hpp"
#include "schema/machine_scratch.hpp"

namespace foxwedge::schema {
namespace {

/// Code points are counted only where bytes alone do not decide.
bool shorter(std::string_view text, std::size_t least) {
    if (text.size() < least) return true;
    return text.size() / 4 < least && code_points(text) < least;
}
bool longer(std::string_view text, std::size_t most) {
    return text.size() > most && code_points(text) > most;
}

bool is_within(const NumberPart& part, const Json& value) {
    return !(part.minimum && less(value, *part.minimum)) &&
           !(part.maximum && less(*part.maximum, value)) &&
           !(part.exclusive_minimum && !less(*part.exclusive_minimum, value)) &&
           !(part.exclusive_maximum && !less(value, *part.exclusive_maximum)) &&
           !(part.multiple_of && !is_multiple(value, *part.multiple_of));
}

} // namespace

bool Machine::too_short(const StringPart& part, std::string_view text) {
    return part.min != 0 && shorter(text, part.min);
}
bool Machine::too_long(const StringPart& part, std::string_view text) {
    return longer(text, part.max);
}
bool Machine::matches(const StringPart& part, std::string_view text) {
    if (part.pattern == none) return true;
    steps_ += text.size() / 1024;
    return program_.patterns[static_cast<std::size_t>(part.pattern)].found_in(text);
}

bool Machine::is_choice(const ChoicePart& part, const Json& value) {
    if (!part.strings.empty()) {
        const auto* string = value.if_string();
        if (!string) return false;
        auto text = view(*string);
        if (part.strings.size() >= many_choices)
            return std::binary_search(part.strings.begin(), part.strings.end(), text);
        for (auto allowed : part.strings)
            if (same(allowed, text)) return true;
        return false;
    }
    steps_ += part.values.size() / 8;
    return std::any_of(part.values.begin(), part.values.end(),
                       [&](const Json* allowed) { return equal(*allowed, value); });
}

bool Machine::fits_rest(const Node& node, const Json& value, std::uint8_t bit) {
    if (node.never) return false;
    if (node.choice != none && !is_choice(program_.choices[index_of(node.choice)], value))
        return false;
    if (node.choice_2 != none && !is_choice(program_.choices[index_of(node.choice_2)], value))
        return false;
    if (bit & string_bit) {
        if (node.string == none) return true;
        const auto& part = program_.strings[index_of(node.string)];
        auto text = view(value.get_string());
        return !too_short(part, text) && !too_long(part, text) && matches(part, text) &&
               (!part.format || part.format->valid(text));
    }
    if (bit & (integer_bit | number_bit))
        return node.number == none || is_within(program_.numbers[index_of(node.number)], value);
    if (node.count == none) return true;
    const auto& part = program_.counts[index_of(node.count)];
    if (bit & object_bit) {
        auto size = value.get_object().size();
        return size >= part.min_properties && size <= part.max_properties;
    }
    if (bit & array_bit) {
        const auto& array = value.get_array();
        return array.size() >= part.min_items && array.size() <= part.max_items &&
               (!part.unique || all_unique(array, steps_, program_.steps));
    }
    return true;
}

} // namespace foxwedge::schema
