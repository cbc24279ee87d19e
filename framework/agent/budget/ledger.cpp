#include "agent/budget/ledger.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace foxwedge::agent {
namespace {

/// No plugin's namespace: their ids hold no dot.
constexpr std::string_view budget_name_space = "foxwedge.budget";
constexpr std::string_view spent_key = "spent";

std::string budget_of(const std::string& run) {
    return journal::collection_name(budget_name_space, "run", run);
}

Json account_json(const Spent& spent) {
    Json out = to_json(spent);
    auto& members = out.get_object();
    members.erase("estimated"); // numbers only: they are added up
    members["toolCalls"] = spent.tool_calls;
    members["activeMs"] = spent.active.count();
    return out;
}

std::int64_t inputs_of(const Usage& usage) {
    return usage.input + usage.cache_read + usage.cache_write;
}

/// The larger of two views of one account, member by member: neither sees less than there is.
Spent larger(Spent a, const Spent& b) {
    const auto take = [](auto& into, const auto& other) { into = std::max(into, other); };
    take(a.usage.input, b.usage.input);
    take(a.usage.output, b.usage.output);
    take(a.usage.cache_read, b.usage.cache_read);
    take(a.usage.cache_write, b.usage.cache_write);
    take(a.tool_calls, b.tool_calls);
    take(a.active, b.active);
    if (b.usd) a.usd = std::max(a.usd.value_or(0), *b.usd);
    return a;
}

template <class T, class Text>
std::optional<std::string> reached(std::string_view what, const std::optional<T>& limit, T spent,
                                   Text text) {
    if (!limit || spent < *limit) return std::nullopt;
    return std::string(what) + ": " + text(spent) + " of " + text(*limit);
}

} // namespace

std::optional<std::string> used_up(const Budget& budget, const Spent& spent, bool call_of_tool) {
    const auto number = [](std::int64_t n) { return std::to_string(n); };
    const auto money = [](double usd) { return to_text(Json(usd)); };
    const auto time = [](Millis t) { return to_duration_text(t); };
    const auto& usage = spent.usage;
    const auto in = inputs_of(usage);
    if (auto why = reached("inputTokens", budget.input_tokens, in, number)) return why;
    if (auto why = reached("outputTokens", budget.output_tokens, usage.output, number)) return why;
    if (auto why = reached("totalTokens", budget.total_tokens, in + usage.output, number))
        return why;
    if (auto why = reached("usd", budget.usd, spent.usd.value_or(0), money)) return why;
    if (auto why = reached("wallTime", budget.wall_time, spent.active, time)) return why;
    if (!call_of_tool) return std::nullopt;
    return reached("toolCalls", budget.tool_calls, spent.tool_calls, number);
}

Millis InFlight::take_time(Account& account) const {
    const auto before = std::exchange(account.pending, Millis(0));
    if (account.under_way == 0) return before;
    const auto time = std::chrono::duration_cast<Millis>(now() - account.since);
    account.since += time; // what is below a millisecond is left for the next one
    return before + time;
}

bool Ledger::in_money() const {
    return std::any_of(holders_.begin(), holders_.end(),
                       [](const BudgetHolder& holder) { return holder.budget.usd.has_value(); });
}

Result<Spent> spent_under(World& world, const std::string& run) {
    if (!world.store) return Spent();
    FOXWEDGE_TRY(item, world.store->get(budget_of(run), spent_key));
    if (!item) return Spent();
    FOXWEDGE_TRY(value, parse_json(item->value_json));
    Spent spent = spent_from_json(value);
    spent.tool_calls = integer_member(value, "toolCalls").value_or(0);
    spent.active = Millis(integer_member(value, "activeMs").value_or(0));
    return spent;
}

Status Ledger::admit(Kind kind, const std::string& step) const {
    for (const BudgetHolder& holder : holders_) {
        FOXWEDGE_TRY(on_record, spent_under(world_, holder.run));
        const auto why =
            world_.in_flight->with(holder.run, [&](auto& account) -> std::optional<std::string> {
                if (!std::exchange(account.known, true)) account.base = on_record;
                Spent here = account.base;
                here += account.added;
                // A call counts from its beginning: many may be under way at once.
                here.tool_calls =
                    account.base.tool_calls + static_cast<std::int64_t>(account.calls.size());
                here.active += account.pending;
                if (account.under_way > 0)
                    here.active +=
                        std::chrono::duration_cast<Millis>(world_.in_flight->now() - account.since);
                const bool new_call = kind == Kind::tool && !account.calls.contains(step);
                auto used = used_up(holder.budget, larger(here, on_record), new_call);
                if (!used && new_call) account.calls.insert(step);
                return used;
            });
        if (why)
            return permanent(std::string(budget_exceeded),
                             "the budget of run " + holder.run + " is used up (" + *why +
                                 "); foxwedge resume " + holder.run +
                                 " --set budget.… goes on with a larger one");
    }
    return {};
}

std::vector<journal::Effect> Ledger::effects(const Spent& spent) const {
    std::vector<journal::Effect> effects;
    for (const BudgetHolder& holder : holders_) {
        Spent all = spent;
        world_.in_flight->with(holder.run, [&](auto& account) {
            all.active += world_.in_flight->take_time(account);
            account.added += all;
        });
        journal::Effect effect;
        effect.kind = journal::Effect::Kind::add;
        effect.collection = budget_of(holder.run);
        effect.key = spent_key;
        effect.add_json = to_text(account_json(all));
        effects.push_back(std::move(effect));
    }
    return effects;
}

Ledger::UnderWay::UnderWay(const Ledger& ledger, bool timed) : ledger_(ledger), timed_(timed) {
    begin();
}
Ledger::UnderWay::~UnderWay() {
    end();
}

Ledger::UnderWay::Waits::Waits(UnderWay* of) : of_(of) {
    if (of_) of_->end();
}
Ledger::UnderWay::Waits::~Waits() {
    if (of_) of_->begin();
}

void Ledger::UnderWay::begin() {
    if (!timed_) return;
    auto& flight = *ledger_.world_.in_flight;
    for (const BudgetHolder& holder : ledger_.holders_)
        flight.with(holder.run, [&](auto& account) {
            if (account.under_way++ == 0) account.since = flight.now();
        });
}

void Ledger::UnderWay::end() {
    if (!timed_) return;
    auto& flight = *ledger_.world_.in_flight;
    for (const BudgetHolder& holder : ledger_.holders_)
        flight.with(holder.run, [&](auto& account) {
            // A call that failed or parked leaves its time to the next one that is recorded.
            if (account.under_way == 1) account.pending = flight.take_time(account);
            --account.under_way;
        });
}

} // namespace foxwedge::agent
