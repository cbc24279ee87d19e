#include "agent/budget/spent.hpp"

namespace foxwedge::agent {

Spent& Spent::operator+=(const Spent& more) {
    usage += more.usage;
    if (more.usd) usd = usd.value_or(0) + *more.usd;
    tool_calls += more.tool_calls;
    active += more.active;
    return *this;
}

Json to_json(const Spent& spent) {
    Json out = to_json(spent.usage);
    if (spent.usd) out.get_object()["usd"] = *spent.usd;
    return out;
}

Spent spent_from_json(const Json& value) {
    Spent spent;
    spent.usage = usage_from_json(value);
    if (const auto usd = number_member(value, "usd"); usd && *usd >= 0) spent.usd = *usd;
    return spent;
}

} // namespace foxwedge::agent
