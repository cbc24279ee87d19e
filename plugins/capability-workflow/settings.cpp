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

} // namespace

Settings::Settings(const Value& config)
    : tool_name(config.string("toolName", "workflow")), agent(config.string("agent")),
      max_result_chars(static_cast<std::size_t>(config.integer("maxResultChars", 50'000))),
      background(config.boolean("background", false)) {
    const Value& limits = config["limits"];
    concurrency = limits.integer("concurrency", usual_concurrency());
    agents = limits.integer("agents", 1'000);
    box_limits =
        foxwedge::plugin::object({{"memoryBytes", limits.integer("memoryMb", 256) << 20},
                                  {"firstSliceMs", limits.integer("firstSliceMs", 5'000)},
                                  {"sliceMs", limits.integer("sliceMs", 5'000)},
                                  {"agents", agents},
                                  {"items", limits.integer("items", 4'096)},
                                  {"requestBytes", limits.integer("requestBytes", 4 << 20)},
                                  {"resultBytes", limits.integer("resultBytes", 4 << 20)}});
}

} // namespace workflow
