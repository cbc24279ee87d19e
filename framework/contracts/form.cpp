#include "contracts/form.hpp"

namespace foxwedge {

JsonObject with_defaults(JsonObject content, const Json* requested_schema) {
    const JsonObject* properties =
        requested_schema ? object_member(*requested_schema, "properties") : nullptr;
    if (!properties) return content;
    for (const auto& [name, property] : *properties)
        if (const Json* value = member(property, "default"); value && !content.contains(name))
            content[name] = *value;
    return content;
}

} // namespace foxwedge
