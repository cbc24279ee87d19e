// The command that present_card sends: checked, with the defaults of its kind filled in.
#pragma once
#include <string>

#include <foxwedge/json.hpp>

namespace ui {

using foxwedge::plugin::Value;

struct Card {
    std::string id;
    bool removed = false;
    Value command; ///< as it stands in details.card
};

/// Throws Refused, `input_validation`.
Card read_card(const Value& arguments);

/// The tool as it is listed.
Value tool_definition();

} // namespace ui
