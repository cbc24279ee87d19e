// A value that fits a schema, for trying out what asks for such values.
#pragma once
#include <optional>

#include "base/json.hpp"

namespace foxwedge::plugin::conformance {

/// A small value that `schema` allows: the first of its `examples`, else one made from its
/// keywords. Nothing if that fails, as with a `pattern`: the schema should then have `examples`.
std::optional<Json> example_of(const Json& schema);

} // namespace foxwedge::plugin::conformance
