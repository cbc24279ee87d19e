// What calls have cost. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "contracts/message.hpp"
#include "contracts/options.hpp"

namespace foxwedge::agent {

struct Spent {
    Usage usage;
    std::optional<double> usd; ///< none: nothing that was called has a price
    std::int64_t tool_calls = 0;
    Millis active{0}; ///< time during which a call was under way

    Spent& operator+=(const Spent&);
    bool operator==(const Spent&) const = default;
};
/// A budget and the run whose agent has it: it counts for that run and all below it.
struct BudgetHolder {
    std::string run;
    Budget budget;
};

/// The members of a Usage, and "usd" where it is known: what steps and results show.
Json to_json(const Spent&);
/// Reads that back; calls and time, which are not in it, are zero.
Spent spent_from_json(const Json&);

} // namespace foxwedge::agent
