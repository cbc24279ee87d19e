// What the configuration says of the tool.
#pragma once
#include <cstdint>
#include <string>

#include <foxwedge/json.hpp>

namespace workflow {

using foxwedge::plugin::Value;

struct Settings {
    std::string tool_name = "workflow";
    std::string agent; ///< "": the calling one
    std::size_t max_result_chars = 50'000;
    bool background = false;      ///< scripts may go on while their caller does
    std::int64_t concurrency = 0; ///< agents at a time
    std::int64_t agents = 1'000;  ///< agents in all
    Value box_limits;             ///< as the service `script` takes them

    explicit Settings(const Value& config);

    /// These for one run of a script, whose caller has lowered what is in `limits` (null: nothing).
    /// What is higher than here stays as it is here.
    Settings lowered(const Value& limits) const;
};

} // namespace workflow
