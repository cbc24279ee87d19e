#include "settings.hpp"

#include <algorithm>
#include <thread>

namespace workflow {
namespace {

/// Twice the processors, within reason: agents mostly wait for their models.
std::int64_t usual_concurrency() {
    const auto processors = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    return std::min<std::int64_t>(16, std::max<std::int64_t>(4, 2 * processors));
}

/// A limit that the script's process keeps: as the configuration calls it, as the process does.
struct BoxLimit {
    const char *name, *of_box;
    std::int64_t usual, unit;
};
constexpr BoxLimit of_the_box[] = {{"memoryMb", "memoryBytes", 256, 1 << 20},
                                   {"firstSliceMs", "firstSliceMs", 5'000, 1},
                                   {"sliceMs", "sliceMs", 5'000, 1},
                                   {"items", "items", 4'096, 1},
                                   {"requestBytes", "requestBytes", 4 << 20, 1},
                                   {"resultBytes", "resultBytes", 4 << 20, 1}};

} // namespace

Settings::Settings(const Value& config)
    : tool_name(config.string("toolName", "workflow")), agent(config.string("agent")),
      max_result_chars(static_cast<std::size_t>(config.integer("maxResultChars", 50'000))),
      background(config.boolean("background", false)) {
    const Value& limits = config["limits"];
    concurrency = limits.integer("concurrency", usual_concurrency());
    agents = limits.integer("agents", 1'000);
    box_limits = foxwedge::plugin::object({{"agents", agents}});
    for (const auto& limit : of_the_box)
        box_limits.set(limit.of_box, limits.integer(limit.name, limit.usual) * limit.unit);
}

Settings Settings::lowered(const Value& limits) const {
    Settings out = *this;
    const auto lower = [&](const char* name, std::int64_t now, std::int64_t unit = 1) {
        const auto wanted = limits.integer(name, 0);
        return wanted > 0 && wanted < now / unit ? wanted * unit : now;
    };
    out.concurrency = lower("concurrency", concurrency);
    out.agents = lower("agents", agents);
    out.box_limits.set("agents", out.agents);
    for (const auto& limit : of_the_box)
        out.box_limits.set(limit.of_box,
                           lower(limit.name, box_limits.integer(limit.of_box, 0), limit.unit));
    return out;
}

} // namespace workflow
