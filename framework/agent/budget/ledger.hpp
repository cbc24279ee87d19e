// One account for a tree of runs, held against the budgets that were set over it. Each outcome adds
// what it cost to the account in its own commit; a call that finds nothing left is refused, and the
// refusal is that step's outcome (docs/agents, "Budgets").
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/world.hpp"
#include "contracts/message.hpp"
#include "contracts/options.hpp"

namespace foxwedge::agent {

inline constexpr std::string_view budget_exceeded = "budget_exceeded";

/// The limit that what was spent has used up, in words; none: there is room for one more call.
/// `call_of_tool`: of a tool, else of a model, which the limit of tool calls does not concern.
/// Pure.
std::optional<std::string> used_up(const Budget&, const Spent&, bool call_of_tool);

/// What a tree has cost so far, as it is on record; `run` has the budget over it.
Result<Spent> spent_under(World&, const std::string& run);

class Ledger {
public:
    Ledger(World& world, std::vector<BudgetHolder> holders)
        : world_(world), holders_(std::move(holders)) {}

    bool limited() const { return !holders_.empty(); }
    bool in_money() const;

    enum class Kind : unsigned char { model, tool };
    /// Error `budget_exceeded` where a budget over this agent leaves nothing for one more call.
    /// `step`: its key; what a step does again, after a failure or after it waited, counts once.
    Status admit(Kind, const std::string& step) const;

    /// Counts a call as under way until it is destroyed. `timed` false for one that waits for calls
    /// which count themselves.
    class UnderWay {
    public:
        UnderWay(const Ledger&, bool timed);
        ~UnderWay();
        UnderWay(const UnderWay&) = delete;
        UnderWay& operator=(const UnderWay&) = delete;

        /// The same for a part of its time; `of` may be null.
        class Waits {
        public:
            explicit Waits(UnderWay* of);
            ~Waits();
            Waits(const Waits&) = delete;
            Waits& operator=(const Waits&) = delete;

        private:
            UnderWay* const of_;
        };

    private:
        void begin();
        void end();
        const Ledger& ledger_;
        const bool timed_;
    };

    /// What a call has cost, for the commit of its outcome. Once for each call.
    std::vector<journal::Effect> effects(const Spent&) const;

private:
    World& world_;
    const std::vector<BudgetHolder> holders_;
};

} // namespace foxwedge::agent
