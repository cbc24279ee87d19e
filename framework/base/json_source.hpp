// JSON written by people: comments, trailing commas, and a position for every value.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace foxwedge {

struct Position {
    int line = 0;   ///< from 1
    int column = 0; ///< from 1, in code points
};

/// A value with the place of each of its parts, by RFC 6901 pointer. A member's place is its key's.
struct JsonSource {
    Json value;
    std::map<std::string, Position, std::less<>> positions;

    /// The place of `pointer`, or of the nearest part around it.
    Position position(std::string_view pointer) const;
};

/// Reads JSON with `//` and `/* */` comments and trailing commas. Errors as parse_json. Any thread.
Result<JsonSource> parse_json_source(std::string_view text, const JsonLimits& = {});

} // namespace foxwedge
