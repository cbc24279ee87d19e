// Schemas for vendors that take only a part of JSON Schema. The host checks answers against the
// whole schema; what is sent only steers the model.
#pragma once
#include <string_view>

#include <foxwedge/json.hpp>

namespace provider_kit {

using foxwedge::plugin::Value;

/// The schema without what constrained decoding does not know; each object is closed. A member that
/// holds schemas is gone through, anything else is copied.
inline Value reduced_schema(const Value& schema) {
    using foxwedge::plugin::Array;
    if (!schema.is_object()) return schema;
    const auto among = [](std::string_view key, std::initializer_list<std::string_view> list) {
        for (auto word : list)
            if (key == word) return true;
        return false;
    };
    Value out = foxwedge::plugin::object();
    for (const auto& [key, value] : schema.object()) {
        if (among(key, {"properties", "$defs", "definitions"}) && value.is_object()) {
            Value inner = foxwedge::plugin::object();
            for (const auto& [name, sub] : value.object()) inner.set(name, reduced_schema(sub));
            out.set(key, std::move(inner));
        } else if (among(key, {"anyOf", "allOf", "oneOf"}) && value.is_array()) {
            Array inner;
            for (const auto& sub : value.array()) inner.push_back(reduced_schema(sub));
            out.set(key == "oneOf" ? "anyOf" : key, std::move(inner));
        } else if (key == "items") {
            out.set(key, reduced_schema(value));
        } else if (among(key, {"type", "title", "description", "enum", "const", "default",
                               "required", "$ref", "format"})) {
            out.set(key, value);
        }
    }
    if (out.find("properties") || out.string("type") == "object")
        out.set("additionalProperties", false);
    return out;
}

/// True if the schema is as strict decoding wants it: each object closed and all its members
/// required, and no keyword that would be refused.
inline bool fits_strict(const Value& schema) {
    if (!schema.is_object()) return false;
    for (const auto& [key, value] : schema.object()) {
        if (key == "properties" || key == "$defs" || key == "definitions") {
            if (!value.is_object()) return false;
            for (const auto& [name, sub] : value.object())
                if (!fits_strict(sub)) return false;
        } else if (key == "items") {
            if (!fits_strict(value)) return false;
        } else if (key == "anyOf") {
            for (const auto& sub : schema.array("anyOf"))
                if (!fits_strict(sub)) return false;
        } else if (key == "allOf" || key == "oneOf" || key == "not" || key == "patternProperties" ||
                   key == "if" || key == "dependentSchemas" || key == "prefixItems") {
            return false;
        }
    }
    const auto& properties = schema["properties"];
    if (!properties.is_object() && schema.string("type") != "object") return true;
    if (schema.boolean("additionalProperties", true)) return false;
    const auto members = properties.is_object() ? properties.object().size() : 0;
    return schema.array("required").size() == members;
}

} // namespace provider_kit
