#include "plugin/config.hpp"

namespace foxwedge::plugin {
namespace {

constexpr int deepest = 32;

void fill(Json& value, const Json& schema, int depth) {
    const auto* properties = object_member(schema, "properties");
    if (!properties || !value.is_object() || depth > deepest) return;
    auto& object = value.get_object();
    for (const auto& [key, sub] : *properties) {
        if (!object.contains(key))
            if (const auto* standard = member(sub, "default")) object.emplace(key, *standard);
        if (auto* inner = object.if_contains(key)) fill(*inner, sub, depth + 1);
    }
}

} // namespace

void fill_defaults(Json& value, const Json& schema) {
    fill(value, schema, 0);
}

Result<Json> checked_config(const Component& component, const Json& config) {
    Json full = config.is_null() ? Json(JsonObject{}) : config;
    if (!full.is_object())
        return permanent("invalid_config",
                         "the configuration of " + component.id + " must be an object",
                         R"({"pointer":""})");
    fill_defaults(full, component.config_schema);
    return full;
}

} // namespace foxwedge::plugin
