// A compiled schema: flat arrays that the machine walks. Built by the compiler, then immutable.
#pragma once
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/pattern.hpp"
#include "schema/format.hpp"

namespace foxwedge::schema {

inline std::string_view key_of(const boost::json::key_value_pair& member) {
    return {member.key().data(), member.key().size()};
}

using NodeId = std::uint32_t;
inline constexpr NodeId no_node = std::numeric_limits<NodeId>::max();
inline constexpr std::int32_t none = -1;

/// True if the two texts are equal. Names and choices are short: no call for most of them.
inline bool same(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return false;
    const char* x = a.data();
    const char* y = b.data();
    auto size = a.size();
    auto differ = [&]<class Word>(Word, std::size_t at) {
        Word p;
        Word q;
        std::memcpy(&p, x + at, sizeof p);
        std::memcpy(&q, y + at, sizeof q);
        return p != q;
    };
    if (size > 16) return std::memcmp(x, y, size) == 0;
    if (size >= 8) return !differ(std::uint64_t{}, 0) && !differ(std::uint64_t{}, size - 8);
    if (size >= 4) return !differ(std::uint32_t{}, 0) && !differ(std::uint32_t{}, size - 4);
    for (std::size_t i = 0; i < size; ++i)
        if (x[i] != y[i]) return false;
    return true;
}

/// Kinds of values as bits, for `type`.
enum TypeBit : std::uint8_t {
    null_bit = 1,
    boolean_bit = 2,
    integer_bit = 4, ///< whole numbers of any kind
    number_bit = 8,
    string_bit = 16,
    array_bit = 32,
    object_bit = 64,
    any_type = 127,
};

struct StringPart {
    std::size_t min = 0; ///< code points
    std::size_t max = std::numeric_limits<std::size_t>::max();
    std::int32_t pattern = none;
    const Format* format = nullptr; ///< where it asserts
};

struct NumberPart {
    const Json* minimum = nullptr;
    const Json* exclusive_minimum = nullptr;
    const Json* maximum = nullptr;
    const Json* exclusive_maximum = nullptr;
    const Json* multiple_of = nullptr;
};

/// Counts of elements or members.
struct CountPart {
    std::size_t min_items = 0;
    std::size_t max_items = std::numeric_limits<std::size_t>::max();
    std::size_t min_properties = 0;
    std::size_t max_properties = std::numeric_limits<std::size_t>::max();
    bool unique = false;
};

/// From so many strings on a choice is looked up, not tried one by one.
inline constexpr std::size_t many_choices = 16;

/// `enum` or `const`.
struct ChoicePart {
    const Json* keyword = nullptr; ///< the keyword's value, for messages
    std::vector<const Json*> values;
    std::vector<std::string_view> strings; ///< all of them, if all are strings; many are sorted
    bool constant = false;
};

/// A known property: what applies to it, and whether it must be there.
struct Slot {
    std::string_view name;
    NodeId node = no_node;
    bool required = false;
};

/// `properties`, `patternProperties`, `additionalProperties`, `required` in one pass over members.
struct MembersPart {
    std::vector<Slot> slots;
    std::vector<std::uint32_t> table; ///< open addressing: slot index + 1; size a power of two
    struct Matching {
        std::int32_t pattern; ///< none: a pattern that cannot be checked, which matches nothing
        NodeId node;
    };
    std::vector<Matching> patterns;
    NodeId additional = no_node;
    bool unchecked_pattern = false; ///< a name may match it: additionalProperties knows nothing
    std::uint32_t required = 0;
    const Json* required_keyword = nullptr;

    /// `hint`: the slot to try first; objects tend to have their members in the schema's order.
    const Slot* find(std::string_view name, std::size_t hint = 0) const noexcept {
        if (hint < slots.size() && same(slots[hint].name, name)) return &slots[hint];
        return look_up(name);
    }
    const Slot* look_up(std::string_view name) const noexcept;
    /// Fills the table; the slots are whole, but for names that are only required.
    void index(const std::vector<std::string_view>& required_names);
};

struct ElementsPart {
    std::vector<NodeId> prefix;
    NodeId rest = no_node;
};

struct ContainsPart {
    NodeId node = no_node;
    std::size_t min = 1;
    std::size_t max = std::numeric_limits<std::size_t>::max();
    bool annotates = false; ///< for unevaluatedItems; since 2020-12
    const Json* min_keyword = nullptr;
    const Json* max_keyword = nullptr;
};

/// `dependentRequired` and lists in `dependencies`.
struct NeedsPart {
    std::string_view trigger;
    std::vector<std::string_view> names;
};

enum class OpKind : std::uint8_t {
    members,
    names, ///< propertyNames
    needs,
    elements,
    contains,
    apply,     ///< a subschema for the same value: allOf, $ref
    dependent, ///< the same if the object has a property
    any_of,
    one_of,
    not_,
    if_,
    dynamic,
    unevaluated_items,
    unevaluated_properties,
};

/// One step of a node. `part` counts in the list of its kind; the nodes it applies are
/// `targets[first … first + count)`.
struct Op {
    OpKind kind;
    std::uint32_t part = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    const Json* keyword = nullptr; ///< the keyword's value: its place, for messages
};

/// A subschema. What needs no other subschema is a leaf and judged in one call.
struct Node {
    std::uint8_t types = any_type;
    bool never = false;     ///< the schema `false`
    bool leaf = true;       ///< has no ops
    bool plain = true;      ///< judges nothing but the type by itself
    bool evaluates = false; ///< has unevaluated*: it and what it applies note what they judged
    std::int32_t string = none;
    std::int32_t number = none;
    std::int32_t count = none;
    std::int32_t choice = none;
    std::int32_t choice_2 = none; ///< `const` beside `enum`
    std::uint32_t first_op = 0;
    std::uint32_t ops = 0;
    std::uint32_t resource = 0;
    const Json* schema = nullptr;
};

/// What a `$dynamicRef` may lead to, by the resources entered on the way.
struct DynamicPart {
    NodeId fallback = no_node;
    std::vector<std::pair<std::uint32_t, NodeId>> by_resource;
};

/// A document, to tell pointers from.
struct Document {
    const Json* root;
    std::string uri; ///< empty: the main one
};

struct Program {
    std::vector<Node> nodes;
    std::vector<Op> ops;
    std::vector<NodeId> targets;
    std::vector<StringPart> strings;
    std::vector<NumberPart> numbers;
    std::vector<CountPart> counts;
    std::vector<ChoicePart> choices;
    std::vector<MembersPart> members;
    std::vector<ElementsPart> elements;
    std::vector<ContainsPart> contains;
    std::vector<NeedsPart> needs;
    std::vector<DynamicPart> dynamics;
    std::vector<Pattern> patterns;
    std::vector<Document> documents; ///< the main one first
    NodeId root = 0;
    bool evaluates = false;
    std::size_t steps = 0; ///< the limit
};

/// The pointer of `part` in the document that holds it, behind "URI#" in all but the main one.
std::string pointer_of(const std::vector<Document>&, const Json& part);

/// True if the two numbers are in this order, exactly, whatever their kinds.
bool less_of_any_kind(const Json& a, const Json& b) noexcept;
inline bool less(const Json& a, const Json& b) noexcept {
    if (a.is_int64() && b.is_int64()) return a.get_int64() < b.get_int64();
    if (a.is_double() && b.is_double()) return a.get_double() < b.get_double();
    return less_of_any_kind(a, b);
}
/// True if `value` divided by `divisor` is whole, both taken as the decimals they are written as.
bool is_multiple(const Json& value, const Json& divisor) noexcept;
/// True if no two elements are equal. Adds its work to `steps` and ends early beyond `limit`.
bool all_unique(const JsonArray&, std::size_t& steps, std::size_t limit);

} // namespace foxwedge::schema
