// What the machine's files share: the stacks that a thread keeps from one value to the next.
#pragma once
#include <algorithm>
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

inline std::string_view key_of(const boost::json::key_value_pair& member) {
    return {member.key().data(), member.key().size()};
}
inline std::string_view key_at(const Json& object, std::uint32_t index) {
    return key_of(object.get_object().begin()[index]);
}

} // namespace foxwedge::schema
