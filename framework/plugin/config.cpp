#include "plugin/config.hpp"

#include "schema/schema.hpp"

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

Error violated(const Component& component, const std::vector<schema::Violation>& violations) {
    std::string message = "the configuration of " + component.id + " does not fit:";
    JsonArray list;
    for (const auto& v : violations) {
        message +=
            "\n  " + (v.instance_pointer.empty() ? "/" : v.instance_pointer) + ": " + v.message;
        list.push_back(JsonObject{{"instancePointer", v.instance_pointer},
                                  {"schemaPointer", v.schema_pointer},
                                  {"message", v.message}});
    }
    const JsonObject details{{"pointer", violations.front().instance_pointer},
                             {"violations", std::move(list)}};
    return permanent("invalid_config", std::move(message), to_text(details));
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
    if (component.config_schema.is_null()) return full;
    fill_defaults(full, component.config_schema);
    const auto compiled = schema::Schema::compile(component.config_schema);
    if (!compiled)
        return permanent("bad_descriptor", "the configSchema of " + component.id +
                                               " is no usable schema: " + compiled.error().message);
    if (const auto violations = compiled->check(full); !violations.empty())
        return violated(component, violations);
    return full;
}

} // namespace foxwedge::plugin
