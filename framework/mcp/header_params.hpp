// What MCP 2026-07-28 repeats of a request in HTTP header fields. Pure.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace foxwedge::mcp {

/// `value` as a header field may carry it: plain where it is safe, else `=?base64?…?=` of its
/// UTF-8.
std::string header_value(std::string_view value);
/// The other way: a value without both ends of the sentinel stands for itself; error
/// `invalid_header` for what is between them and no base64 of UTF-8.
Result<std::string> from_header_value(std::string_view field);

/// An argument that is repeated in the field `Mcp-Param-<name>`.
struct HeaderParam {
    std::vector<std::string> path; ///< members of the arguments, from the outside in
    std::string name;
};

/// The `x-mcp-header` annotations of an input schema. Error `invalid_annotation` where one is not a
/// token, occurs twice, sits on something else than a string, integer or boolean, or anywhere but
/// below a chain of `properties`: such a tool must not be used over HTTP.
Result<std::vector<HeaderParam>> header_params(const Json& input_schema);

/// The fields for a call; absent and null arguments have none.
std::vector<std::pair<std::string, std::string>> header_fields(const std::vector<HeaderParam>&,
                                                               const Json& arguments);

} // namespace foxwedge::mcp
