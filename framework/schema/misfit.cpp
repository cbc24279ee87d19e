// What is said about a value that does not fit: every check of the subschema that objects.
#include "schema/explain.hpp"
#include "schema/machine_scratch.hpp"

namespace foxwedge::schema {

void Machine::report_misfit(const Node& node, const Json& value, Place place) {
    if (!wants()) return;
    if (node.never) return report(node, "", place, "no value is allowed here");
    auto bit = bit_of(value);
    if (!(node.types & bit)) // the other checks would only repeat it
        return report(node, "type", place, explain::type(node.types, value));
    for (auto index : {node.choice, node.choice_2}) {
        if (index == none) break;
        const auto& part = program_.choices[index_of(index)];
        if (!is_choice(part, value))
            report(node, part.constant ? "const" : "enum", place, explain::choice(part, value));
    }
    if (bit & string_bit && node.string != none)
        report_string(node, program_.strings[index_of(node.string)], value, place);
    if (bit & (integer_bit | number_bit) && node.number != none)
        report_number(node, program_.numbers[index_of(node.number)], value, place);
    if (bit & (array_bit | object_bit) && node.count != none)
        report_count(node, program_.counts[index_of(node.count)], value, place);
}

void Machine::report_string(const Node& node, const StringPart& part, const Json& value,
                            Place place) {
    auto text = view(value.get_string());
    if (too_short(part, text))
        report(node, "minLength", place, explain::length("at least", part.min, text));
    if (too_long(part, text))
        report(node, "maxLength", place, explain::length("at most", part.max, text));
    if (!matches(part, text)) report(node, "pattern", place, explain::pattern(*node.schema, value));
    if (part.format && !part.format->valid(text))
        report(node, "format", place, explain::format(*part.format, value));
}

void Machine::report_number(const Node& node, const NumberPart& part, const Json& value,
                            Place place) {
    auto object = [&](std::string_view keyword, const char* relation, const Json& bound) {
        report(node, keyword, place, explain::bound(relation, bound, value));
    };
    if (part.minimum && less(value, *part.minimum)) object("minimum", "at least", *part.minimum);
    if (part.maximum && less(*part.maximum, value)) object("maximum", "at most", *part.maximum);
    if (part.exclusive_minimum && !less(*part.exclusive_minimum, value))
        object("exclusiveMinimum", "greater than", *part.exclusive_minimum);
    if (part.exclusive_maximum && !less(value, *part.exclusive_maximum))
        object("exclusiveMaximum", "less than", *part.exclusive_maximum);
    if (part.multiple_of && !is_multiple(value, *part.multiple_of))
        object("multipleOf", "a multiple of", *part.multiple_of);
}

void Machine::report_count(const Node& node, const CountPart& part, const Json& value,
                           Place place) {
    auto check = [&](std::string_view keyword, bool fits, const char* relation, std::size_t bound,
                     std::size_t size, const char* what) {
        if (!fits) report(node, keyword, place, explain::count(relation, bound, size, what));
    };
    if (const auto* object = value.if_object()) {
        auto size = object->size();
        check("minProperties", size >= part.min_properties, "at least", part.min_properties, size,
              "properties");
        check("maxProperties", size <= part.max_properties, "at most", part.max_properties, size,
              "properties");
        return;
    }
    const auto& array = value.get_array();
    auto size = array.size();
    check("minItems", size >= part.min_items, "at least", part.min_items, size, "items");
    check("maxItems", size <= part.max_items, "at most", part.max_items, size, "items");
    if (part.unique && !all_unique(array, steps_, program_.steps))
        report(node, "uniqueItems", place, "must not hold the same item twice");
}

} // namespace foxwedge::schema
