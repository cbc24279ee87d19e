// A component's configuration: defaults filled in, checked against its schema.
#pragma once
#include "base/json.hpp"
#include "plugin/descriptor.hpp"

namespace foxwedge::plugin {

/// `config` (null: {}) with the defaults of the component's configSchema, if it fits that schema.
/// Error `invalid_config`: one line for each violation; details {"pointer", "violations"}. A secret
/// is a structured value ({"secret": NAME}) and is checked as such. Any thread.
Result<Json> checked_config(const Component&, const Json& config);

/// Puts in the `default` of every member of `properties` that is missing, at every depth.
void fill_defaults(Json& value, const Json& schema);

} // namespace foxwedge::plugin
