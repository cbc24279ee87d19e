// What the tools that keep something in the host's store have in common.
#pragma once
#include <string_view>

#include <foxwedge/json.hpp>

namespace capability_kit {

/// The definition with how such a tool behaves: it may overwrite, stays inside, and what it writes
/// is written with the step.
inline foxwedge::plugin::Value storing_tool(std::string_view definition) {
    using foxwedge::plugin::object;
    auto tool = foxwedge::plugin::Value::parse(definition);
    tool.set("annotations", object({{"readOnlyHint", false},
                                    {"destructiveHint", true},
                                    {"idempotentHint", false},
                                    {"openWorldHint", false}}));
    tool.set("effect", "store");
    tool.set("parallelSafe", true);
    return tool;
}

} // namespace capability_kit
