#include "state.hpp"

#include <algorithm>

namespace summarize {

using foxwedge::plugin::array;
using foxwedge::plugin::Array;
using foxwedge::plugin::object;
using foxwedge::plugin::Value;

namespace {

constexpr std::int64_t longest_wait = 64; ///< exchanges

/// The numbers of a state, in the order in which they are written.
template <class S>
auto numbers(S& state) {
    return std::vector{&state.keep_from, &state.shown,   &state.gone, &state.last_summary,
                       &state.asked,     &state.useless, &state.wait};
}

} // namespace

State State::read(std::string_view text) {
    State state;
    if (text.empty()) return state;
    const Value value = Value::parse(text);
    std::size_t n = 0;
    for (std::int64_t* number : numbers(state))
        if (n < value.array("numbers").size()) *number = value.array("numbers")[n++].integer();
    for (const Value& group : value.array("tail"))
        state.tail.push_back({group.array().at(0).integer(), group.array().at(1).integer()});
    return state;
}

std::string State::text() const {
    Value row = array(), groups = array();
    for (const std::int64_t* number : numbers(*this)) row.push(*number);
    for (const Group& group : tail) groups.push(array({group.n, group.tokens}));
    return to_text(object({{"numbers", std::move(row)}, {"tail", std::move(groups)}}));
}

void State::take(const Array& added, std::size_t keep_last) {
    const bool helped = std::any_of(added.begin(), added.end(), [](const Value& group) {
        return group.boolean("isSummary", false);
    });
    if (asked >= 0 && helped) {
        const auto covered = shown - tail_tokens(); // the tail was what stayed whole
        gone += covered;
        shown -= covered;
        keep_from = asked;
        useless = 0;
    } else if (asked >= 0) {
        wait = std::min(longest_wait, std::int64_t{2} << std::min<std::int64_t>(useless, 10));
        ++useless;
    }
    asked = -1;
    for (const Value& group : added) {
        const auto n = group.integer("n", 0);
        const auto tokens = std::max<std::int64_t>(0, group.integer("tokens", 0));
        shown += tokens;
        if (group.boolean("isSummary", false)) {
            last_summary = n;
            continue;
        }
        tail.push_back({n, tokens});
        if (wait > 0) --wait;
    }
    if (tail.size() > keep_last)
        tail.erase(tail.begin(), tail.end() - static_cast<std::ptrdiff_t>(keep_last));
}

std::int64_t State::tail_tokens() const {
    std::int64_t sum = 0;
    for (const Group& group : tail) sum += group.tokens;
    return sum;
}

} // namespace summarize
