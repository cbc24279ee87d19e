#include <algorithm>

#include "contracts/message.hpp"

namespace foxwedge {
namespace {

/// Counts come from strangers: one larger than this, and any sum, stays here. It is exact as a
/// double, and some of them can be added without leaving 64 bits. Were a sum to wrap around, a run
/// would be far below its budget again.
constexpr std::int64_t most_tokens = std::int64_t{1} << 53;

void add(std::int64_t& to, std::int64_t more) {
    to = std::min(to, most_tokens) + std::min(more, most_tokens);
    to = std::min(to, most_tokens);
}

std::int64_t count_of(const Json* value) {
    if (!value || !value->is_number()) return 0; // as not reported
    if (value->is_uint64()) return most_tokens;
    if (value->is_int64()) return std::clamp<std::int64_t>(value->get_int64(), 0, most_tokens);
    const double count = std::clamp(value->get_double(), 0.0, static_cast<double>(most_tokens));
    return static_cast<std::int64_t>(count);
}

} // namespace

Usage& Usage::operator+=(const Usage& more) {
    add(input, more.input);
    add(output, more.output);
    add(cache_read, more.cache_read);
    add(cache_write, more.cache_write);
    add(reasoning, more.reasoning);
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
    const auto count = [&](std::string_view key) { return count_of(member(value, key)); };
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
