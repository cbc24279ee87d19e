#include <algorithm>

#include "contracts/message.hpp"

namespace foxwedge {

Usage& Usage::operator+=(const Usage& more) {
    input += more.input;
    output += more.output;
    cache_read += more.cache_read;
    cache_write += more.cache_write;
    reasoning += more.reasoning;
    estimated = estimated || more.estimated;
    return *this;
}

Json to_json(const Usage& usage) {
    JsonObject out;
    out["input"] = usage.input;
    out["output"] = usage.output;
    out["cacheRead"] = usage.cache_read;
    out["cacheWrite"] = usage.cache_write;
    out["reasoning"] = usage.reasoning;
    if (usage.estimated) out["estimated"] = true;
    return out;
}

Usage usage_from_json(const Json& value) {
    // A count that is no number, or below zero, counts as not reported.
    const auto count = [&](std::string_view key) {
        return std::max<std::int64_t>(0, integer_member(value, key).value_or(0));
    };
    Usage usage;
    usage.input = count("input");
    usage.output = count("output");
    usage.cache_read = count("cacheRead");
    usage.cache_write = count("cacheWrite");
    usage.reasoning = count("reasoning");
    usage.estimated = bool_member(value, "estimated").value_or(false);
    return usage;
}

} // namespace foxwedge
