// What is wrong with a config, all of it at once, each with its place.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace foxwedge::config {

struct Problem {
    std::string file;
    int line = 0, column = 0; ///< from 1; 0 where there is no place
    std::string pointer;      ///< RFC 6901, in the merged configuration
    std::string message;      ///< what was expected, and what to do
    bool warning = false;
};

using foxwedge::to_text; // one set of overloads with those below

/// "support.json:12:7: /agents/support/modle: unknown key; did you mean \"model\"?"
std::string to_text(const Problem&);
std::string to_text(const std::vector<Problem>&);

} // namespace foxwedge::config
