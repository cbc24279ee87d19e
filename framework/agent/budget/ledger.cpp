#include "agent/budget/ledger.hpp"

namespace foxwedge::agent {
namespace {

template <class T>
bool used_up(const std::optional<T>& limit, T spent) {
    return limit && spent >= *limit;
}

} // namespace

bool over(const Budget& budget, const Usage& spent, std::optional<double> usd,
          std::int64_t tool_calls) {
    const std::int64_t input = spent.input + spent.cache_read + spent.cache_write;
    return used_up(budget.input_tokens, input) || used_up(budget.output_tokens, spent.output) ||
           used_up(budget.total_tokens, input + spent.output) ||
           used_up(budget.usd, usd.value_or(0)) || used_up(budget.tool_calls, tool_calls);
}

} // namespace foxwedge::agent
