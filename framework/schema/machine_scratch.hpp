// What the machine's files share: the stacks that a thread keeps from one value to the next.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "schema/machine.hpp"

namespace foxwedge::schema {

inline constexpr std::uint32_t all_noted = std::numeric_limits<std::uint32_t>::max();

struct Machine::Scratch {
    std::vector<Frame> frames;
    std::vector<Note> notes;            ///< which parts of which values were judged
    std::vector<std::uint32_t> pending; ///< parts that unevaluated* has still to judge
    std::vector<std::uint8_t> seen;
    Json name; ///< the property name that propertyNames is at

    void clear() {
        constexpr std::size_t worth_keeping = 1024;
        if (frames.capacity() > worth_keeping) frames.shrink_to_fit();
        frames.clear();
        notes.clear();
        pending.clear();
    }
};

inline std::string_view key_at(const Json& object, std::uint32_t index) {
    return key_of(object.get_object().begin()[index]);
}

inline std::size_t index_of(std::int32_t part) {
    return static_cast<std::size_t>(part);
}

inline std::uint8_t bit_of(const Json& value) noexcept {
    using boost::json::kind;
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

inline bool Machine::fits(const Node& node, const Json& value) {
    auto bit = bit_of(value);
    return (node.types & bit) && (node.plain || fits_rest(node, value, bit));
}

inline Machine::Verdict Machine::apply(NodeId id, const Json& value, Place place, bool collects,
                                       OpKind by) {
    const auto& node = program_.nodes[id];
    if (++steps_ <= program_.steps && node.leaf && fits(node, value)) return Verdict::yes;
    return apply_slowly(node, value, place, collects, by);
}

inline void Machine::fail(Frame& frame) {
    frame.ok = false;
    if (!frame.collects) frame.op = frame.node->ops;
}

/// True if the frame goes on by itself: the verdict is there and does not end it.
inline bool Machine::settle(Frame& frame, Verdict verdict) {
    if (verdict == Verdict::yes) return true;
    if (verdict == Verdict::pending) return false;
    fail(frame);
    return frame.collects && !gave_up_;
}

inline void Machine::next(Frame& frame) {
    ++frame.op;
    frame.i = frame.j = frame.count = 0;
}

inline void Machine::note(const Frame& frame, std::uint32_t index) {
    if (frame.notes) scratch_.notes.push_back({frame.value, index});
}

} // namespace foxwedge::schema
