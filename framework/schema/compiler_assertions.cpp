// The compiler's way through keywords that judge by themselves.
#include <algorithm>
#include <cmath>

#include "schema/compiler_draft.hpp"

namespace foxwedge::schema {
namespace {

bool is_number(const Json& value) {
    return value.is_int64() || value.is_uint64() || value.is_double();
}

/// A count: a whole number from 0 on, however it is written.
std::optional<std::size_t> count_of(const Json& value) {
    constexpr double most = 1e15;
    if (value.is_int64() && value.get_int64() >= 0)
        return static_cast<std::size_t>(value.get_int64());
    if (value.is_uint64()) return value.get_uint64();
    if (value.is_double() && value.get_double() >= 0 &&
        value.get_double() == std::floor(value.get_double()))
        return static_cast<std::size_t>(std::min(value.get_double(), most));
    return std::nullopt;
}

std::uint8_t bit_of(std::string_view type) {
    if (type == "string") return string_bit;
    if (type == "object") return object_bit;
    if (type == "array") return array_bit;
    if (type == "number") return number_bit | integer_bit;
    if (type == "integer") return integer_bit;
    if (type == "boolean") return boolean_bit;
    if (type == "null") return null_bit;
    return 0;
}

} // namespace

Status Compiler::assertion(Draft_& draft, Keyword keyword, const Json& value) {
    switch (keyword) {
    case Keyword::type:
        return types(draft, value);
    case Keyword::enum_:
    case Keyword::const_:
        return choice(draft, keyword, value);
    case Keyword::required:
        return required(draft, value);
    case Keyword::multiple_of:
    case Keyword::maximum:
    case Keyword::exclusive_maximum:
    case Keyword::minimum:
    case Keyword::exclusive_minimum:
        return number_keyword(draft, keyword, value);
    case Keyword::max_length:
    case Keyword::min_length:
    case Keyword::pattern:
    case Keyword::format:
        return string_keyword(draft, keyword, value);
    case Keyword::max_items:
    case Keyword::min_items:
    case Keyword::unique_items:
    case Keyword::max_contains:
    case Keyword::min_contains:
    case Keyword::max_properties:
    case Keyword::min_properties:
        return count_keyword(draft, keyword, value);
    default:
        return {}; // names and notes
    }
}

Status Compiler::types(Draft_& draft, const Json& value) {
    auto& types = draft.node.types;
    types = 0;
    auto add = [&](const Json& name) {
        auto bit = name.is_string() ? bit_of(view(name.get_string())) : std::uint8_t{0};
        types |= bit;
        return bit != 0;
    };
    constexpr const char* expected =
        "must name types: null, boolean, integer, number, string, array, object";
    if (!value.is_array()) return add(value) ? Status() : malformed(draft, value, expected);
    for (const auto& name : value.get_array())
        if (!add(name)) return malformed(draft, value, expected);
    return {};
}

Status Compiler::choice(Draft_& draft, Keyword keyword, const Json& value) {
    ChoicePart part;
    part.keyword = &value;
    part.constant = keyword == Keyword::const_;
    if (part.constant) {
        part.values.push_back(&value);
    } else {
        if (!value.is_array()) return malformed(draft, value, "must be a list of values");
        for (const auto& element : value.get_array()) part.values.push_back(&element);
    }
    for (const auto* allowed : part.values)
        if (allowed->is_string()) part.strings.push_back(view(allowed->get_string()));
    if (part.strings.size() != part.values.size()) part.strings.clear();
    if (part.strings.size() >= many_choices) std::sort(part.strings.begin(), part.strings.end());
    auto& place = draft.node.choice == none ? draft.node.choice : draft.node.choice_2;
    place = static_cast<std::int32_t>(program_.choices.size());
    program_.choices.push_back(std::move(part));
    return {};
}

Status Compiler::required(Draft_& draft, const Json& value) {
    // Draft-03 wrote a boolean into each property; tools of that age still do, and it says nothing
    // about this object.
    if (value.is_bool()) return {};
    if (!value.is_array()) return malformed(draft, value, "must be a list of property names");
    if (value.get_array().empty()) return {};
    auto& part = draft.member_part(draft.members_keyword ? *draft.members_keyword : value);
    part.required_keyword = &value;
    for (const auto& name : value.get_array()) {
        if (!name.is_string()) return malformed(draft, name, "must be a property name");
        draft.required.push_back(view(name.get_string()));
    }
    return {};
}

Status Compiler::number_keyword(Draft_& draft, Keyword keyword, const Json& value) {
    if (!draft.number) draft.number.emplace();
    auto& part = *draft.number;
    if (draft.dialect.draft == Draft::draft4 && value.is_bool()) {
        if (keyword == Keyword::exclusive_minimum) draft.exclusive_minimum = value.get_bool();
        if (keyword == Keyword::exclusive_maximum) draft.exclusive_maximum = value.get_bool();
        return {};
    }
    if (!is_number(value)) return malformed(draft, value, "must be a number");
    switch (keyword) {
    case Keyword::minimum:
        part.minimum = &value;
        break;
    case Keyword::maximum:
        part.maximum = &value;
        break;
    case Keyword::exclusive_minimum:
        part.exclusive_minimum = &value;
        break;
    case Keyword::exclusive_maximum:
        part.exclusive_maximum = &value;
        break;
    default:
        if (!less(Json(0), value)) return malformed(draft, value, "must be greater than 0");
        part.multiple_of = &value;
    }
    return {};
}

Status Compiler::string_keyword(Draft_& draft, Keyword keyword, const Json& value) {
    auto part = [&]() -> StringPart& {
        return draft.string ? *draft.string : draft.string.emplace();
    };
    if (keyword == Keyword::pattern || keyword == Keyword::format) {
        if (!value.is_string()) return malformed(draft, value, "must be a string");
        auto text = view(value.get_string());
        if (keyword == Keyword::format) {
            const auto* format = draft.dialect.assert_format ? format_of(text) : nullptr;
            if (format) part().format = format;
            return {};
        }
        FOXWEDGE_TRY(index, pattern(draft, value, text));
        if (index != none) part().pattern = index;
        return {};
    }
    auto count = count_of(value);
    if (!count) return malformed(draft, value, "must be a whole number from 0 on");
    (keyword == Keyword::min_length ? part().min : part().max) = *count;
    return {};
}

Status Compiler::count_keyword(Draft_& draft, Keyword keyword, const Json& value) {
    if (keyword == Keyword::unique_items) {
        if (!value.is_bool()) return malformed(draft, value, "must be true or false");
        if (!value.get_bool()) return {};
        if (!draft.count) draft.count.emplace();
        draft.count->unique = true;
        return {};
    }
    auto count = count_of(value);
    if (!count) return malformed(draft, value, "must be a whole number from 0 on");
    if (keyword == Keyword::min_contains || keyword == Keyword::max_contains) {
        if (!draft.contains) draft.contains.emplace();
        bool least = keyword == Keyword::min_contains;
        (least ? draft.contains->min : draft.contains->max) = *count;
        (least ? draft.contains->min_keyword : draft.contains->max_keyword) = &value;
        return {};
    }
    if (!draft.count) draft.count.emplace();
    switch (keyword) {
    case Keyword::min_items:
        draft.count->min_items = *count;
        break;
    case Keyword::max_items:
        draft.count->max_items = *count;
        break;
    case Keyword::min_properties:
        draft.count->min_properties = *count;
        break;
    default:
        draft.count->max_properties = *count;
        break;
    }
    return {};
}

} // namespace foxwedge::schema
