// What host_configuration may be asked.
#pragma once
#include <string>

#include <foxwedge/json.hpp>

namespace host_bridge {

using foxwedge::plugin::Value;

struct Asked {
    std::string action;
    Value arguments; ///< without the action
    /// The bridge may have saved something before an answer was lost.
    bool writes = false;
};

/// Throws Refused, `input_validation`.
Asked read_arguments(const Value& arguments);

/// The tool as it is listed.
Value tool_definition();

} // namespace host_bridge
